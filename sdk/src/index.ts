export type { Answer, Auth } from './auth/auth.ts'
export { cookieSession } from './auth/cookie-session.ts'
export { tokenAuth } from './auth/token-auth.ts'
export {
  accessKeyLogin,
  casTicket,
  passwordLogin,
  singleLogin,
  type IssuedToken,
  type LoginOptions,
} from './auth/token-login.ts'
export { createClient, type Client } from './client.ts'
export { ApiError, ConnectionError, isApiError, type ErrorClass } from './errors.ts'
export type { Fetch } from './send.ts'
export { pollHeader } from './wire-names.ts'
export type { AnyOperationId, Input, Item, ListId, Output } from './operations.ts'
