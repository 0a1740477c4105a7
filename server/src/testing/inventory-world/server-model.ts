import { callerFields, type Server } from '@muster/contract'
import { compareScalars, hasTag, isSelected, scalarOf } from './server-model-matching.ts'
import type { ServerQuery, ServerFilter } from './server-query.ts'
import type { ModelProject } from './stored-servers.ts'

/** A caller: the scope of the token, and what its roles allow there. */
export interface ModelCaller {
  readonly name: string
  readonly scope: { readonly project: ModelProject } | { readonly domainId: string }
  /** Whether the roles are system roles, which apply everywhere. */
  readonly isSystem: boolean
  /** Whether the caller may tag servers, and may list deleted ones. */
  readonly mayChange: boolean
}

type Sees = (server: Server) => boolean

export interface Expected {
  readonly status: 200
  readonly limit: number
  readonly offset: number
  readonly total: number
  /** All that match, in order, each with what is shown of it. */
  readonly all: readonly Partial<Server>[]
  readonly servers: readonly Partial<Server>[]
}
export type Refused = { readonly status: 400 | 403 }

const [usualLimit, largestLimit] = [20, 2048]

const shortKeys = [
  'id name status description created_at updated_at project_id tenant_id domain_id provider brand',
  'hypervisor os_type vcpu_count vmem_size disk ips zone region cloudregion_id zone_id host_id',
  'instance_type billing_type external_id is_gpu pending_deleted',
].flatMap((line) => line.split(' ')) as (keyof Server)[]

/** The servers in the scope of the token. */
const inScope = ({ scope }: ModelCaller): Sees =>
  'project' in scope
    ? ({ project_id }) => project_id === scope.project.id
    : ({ domain_id }) => domain_id === scope.domainId

/** The servers that a caller sees in a scope, or the error. */
function visibilityOf(caller: ModelCaller, wanted: ServerFilter['scope']): Sees | Refused {
  const { scope, isSystem } = caller
  const maxScope: Sees = isSystem ? () => true : inScope(caller)
  switch (wanted) {
    case undefined:
      return inScope(caller)
    case 'max':
      return maxScope
    case 'system':
      return isSystem ? maxScope : { status: 403 }
    case 'project':
      return 'project' in scope ? inScope(caller) : { status: 400 }
    case 'domain':
      if (!('project' in scope)) return inScope(caller)
      return isSystem ? ({ domain_id }) => domain_id === scope.project.domainId : { status: 403 }
  }
}

const inState: Record<ServerFilter['state'], Sees> = {
  live: ({ deleted, pending_deleted }) => !deleted && !pending_deleted,
  recycled: ({ deleted, pending_deleted }) => !deleted && pending_deleted,
  both: ({ deleted }) => !deleted,
  deleted: ({ deleted }) => deleted,
}

/** Sorts by each field in turn, then by id. */
function sorted(servers: readonly Server[], { orderBy, order = 'desc' }: ServerQuery): Server[] {
  const fields = orderBy.length === 0 ? ['created_at'] : orderBy
  const sign = order === 'desc' ? -1 : 1
  return servers.toSorted((a, b) => {
    for (const field of [...fields, 'id']) {
      const difference = compareScalars(scalarOf(a, field), scalarOf(b, field))
      if (difference !== 0) return sign * difference
    }
    return 0
  })
}

/** The full server for a caller. Only the presence of a reason is compared. */
function asSeenBy(server: Server, caller: ModelCaller): Server {
  const isOperator = caller.isSystem || !('project' in caller.scope)
  const mayUpdate = caller.mayChange && !server.deleted
  return {
    ...server,
    ...(!isOperator && { admin_secgrp_id: '', admin_security_rules: '' }),
    can_delete: false,
    can_update: mayUpdate,
    delete_fail_reason: 'why',
    update_fail_reason: mayUpdate ? '' : 'why',
  }
}

/** A server of a response, with the presence of reasons instead of their texts. */
export function withoutReasons(server: Partial<Server>): Partial<Server> {
  const reasons = callerFields.filter((name) => name.endsWith('_reason') && server[name])
  return { ...server, ...Object.fromEntries(reasons.map((name) => [name, 'why'])) }
}

function shown(server: Server, { details, withMeta, field }: ServerQuery): Partial<Server> {
  const full = Object.keys(server).filter((key) => key !== 'metadata') as (keyof Server)[]
  const own = details ? full : shortKeys
  const keys = field.length > 0 ? (field as (keyof Server)[]) : own
  const all = withMeta && field.length === 0 ? [...keys, 'metadata' as const] : keys
  return Object.fromEntries(all.map((key) => [key, server[key]]))
}

function select(
  servers: readonly Server[],
  caller: ModelCaller,
  serverFilter: ServerFilter,
): Server[] | Refused {
  const sees = visibilityOf(caller, serverFilter.scope)
  if (typeof sees !== 'function') return sees
  if (serverFilter.state !== 'live' && !caller.mayChange) return { status: 403 }
  return servers.filter(
    (server) =>
      sees(server) && inState[serverFilter.state](server) && isSelected(server, serverFilter),
  )
}

/** The expected response to a caller's query. */
export function expectList(
  servers: readonly Server[],
  caller: ModelCaller,
  serverQuery: ServerQuery,
): Expected | Refused {
  const found = select(servers, caller, serverQuery)
  if (!Array.isArray(found)) return found
  const limit = Math.min(serverQuery.limit ?? usualLimit, largestLimit)
  const offset = serverQuery.offset ?? 0
  const all = sorted(found, serverQuery).map((server) =>
    shown(asSeenBy(server, caller), serverQuery),
  )
  const page = all.slice(offset, offset + limit)
  return { status: 200, limit, offset, all, total: all.length, servers: page }
}

const sumOf = (servers: readonly Server[]) => {
  const sum = (field: 'vcpu_count' | 'vmem_size' | 'disk') =>
    servers.reduce((total, server) => total + server[field], 0)
  return {
    count: servers.length,
    vcpu_count: sum('vcpu_count'),
    vmem_size: sum('vmem_size'),
    disk: sum('disk'),
  }
}

const groupValue = (server: Server, by: string) => {
  if (!by.startsWith('metadata.')) return server[by as keyof Server]
  const key = by.slice('metadata.'.length)
  if (!hasTag(server, key)) return null
  const { metadata } = server
  return metadata[key] ?? metadata[`user:${key}`] ?? metadata[`ext:${key}`]
}

/** The expected statistics. The order of equal counts is not specified, so groups are compared by value. */
export function expectStatistics(
  servers: readonly Server[],
  caller: ModelCaller,
  serverFilter: ServerFilter,
  groups: readonly string[],
) {
  const found = select(servers, caller, serverFilter)
  if (!Array.isArray(found)) return found
  const grouped = groups.map((by) => {
    const members = Map.groupBy(found, (server) => groupValue(server, by))
    return [by, [...members].map(([value, all]) => ({ value, ...sumOf(all) }))] as const
  })
  return { status: 200 as const, total: sumOf(found), groups: Object.fromEntries(grouped) }
}
