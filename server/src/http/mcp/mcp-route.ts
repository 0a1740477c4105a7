import type { ProcessRole } from '@muster/contract'
import type { Authenticated } from '../authenticate.ts'
import type { Route } from '../route.ts'

/** Not an operation of the contract: it speaks another protocol, whose tools call the operations. */
export const mcpRoute = {
  id: 'callMcp',
  method: 'POST',
  path: '/mcp',
  access: 'token',
  acceptsBearer: true,
  acceptsAccessKey: true,
  rateLimit: 'token',
  cache: 'no-store',
  responses: {},
} as const satisfies Route & Authenticated

/** The role whose operations the tools call. */
export const mcpRole: ProcessRole = 'platform'
