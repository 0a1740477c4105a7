export { createGateway, type Gateway } from './gateway.ts'
export type { Call, Exchange, GatewayAnswer, GatewayHandlers } from './exchange.ts'
export { createHttpUpstream } from './http-upstream.ts'
export type {
  DemoPeople,
  CreateError,
  ProviderLogins,
  SessionLimits,
  SessionRecord,
  SessionStore,
  Upstream,
  UpstreamAnswer,
  UpstreamRequest,
} from './ports.ts'
