export type { Answer, Auth } from './auth/auth.ts'
export { cookieSession } from './auth/cookie-session.ts'
export {
  accessKeyLogin,
  casTicket,
  oidcLogin,
  passwordLogin,
  singleLogin,
  workloadLogin,
} from './auth/logins.ts'
export { tokenAuth } from './auth/token-auth.ts'
export type { IssuedToken, LoginOptions } from './auth/token-login.ts'
export { createPageClient, type Client, type PageClientOptions } from './client.ts'
export { createClient, type ClientOptions } from './create-client.ts'
export {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidInputError,
  isApiError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
  type ErrorClass,
} from './errors.ts'
export { followChanges } from './follow-changes.ts'
export type { AnyOperationId, ExportId, Input, Item, ListId, Output } from './operations.ts'
export type { Fetch } from './send.ts'
export { ActionFailedError, waitForBatch, waitForTask } from './wait.ts'
export { pollHeader } from './wire-names.ts'
