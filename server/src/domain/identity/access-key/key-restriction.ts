import type { KeyRestriction } from '@muster/contract'
import { isWithin, readNetworks } from '../../networks.ts'
import type { Permission } from '../policy.ts'
import type { TokenRecord, UserStatus } from '../records.ts'

// What a restricted access key takes from the permissions of its user. It never adds any.

/** The restriction of the access key that a token was issued for. */
export const restrictionOf = ({
  accessKey,
}: Pick<TokenRecord, 'accessKey'>): KeyRestriction | null => accessKey?.restriction ?? null

/**
 * The roles that count: with a list of projects only those in them. So neither a role on the system or a
 * domain counts, nor are the names of other projects there.
 */
export function restrictUserStatus(
  userStatus: UserStatus,
  restriction: KeyRestriction | null,
): UserStatus {
  const projects = restriction?.projects
  if (!projects) return userStatus
  const assignments = userStatus.assignments.filter(
    ({ target }) => target.kind === 'project' && projects.includes(target.project.id),
  )
  return { ...userStatus, assignments }
}

const isReading = ({ action }: Permission) => action === 'list' || action === 'get'

/** A key can always end its own tokens; `createRevokeToken` checks that they are its own. */
const endsToken = ({ service, resource, action }: Permission) =>
  service === 'identity' && resource === 'tokens' && action === 'delete'

/** Whether the restriction leaves the permission to the key. */
export function permits(restriction: KeyRestriction | null, permission: Permission): boolean {
  if (!restriction || isReading(permission) || endsToken(permission)) return true
  const { read_only, actions } = restriction
  if (read_only || !actions) return !read_only
  const { service, resource, action } = permission
  const names: readonly string[] = actions
  return (
    service === 'compute' &&
    resource === 'servers' &&
    names.includes(action.replace('perform.', ''))
  )
}

/** Whether the key may access what belongs to its user, for that reason alone. */
export function permitsOwn(restriction: KeyRestriction | null, permission: Permission): boolean {
  if (!permits(restriction, permission)) return false
  if (!restriction?.projects) return true
  // All else that belongs to the user shows projects outside of the list.
  const { resource, action } = permission
  const deletesKey = resource === 'credentials' && action === 'delete'
  return resource === 'tokens' || resource === 'users' || deletesKey
}

/** Whether the key is accepted from this address, in the form that `RequestOrigin` has. */
export function isAcceptedFrom(restriction: KeyRestriction | null, ip: string): boolean {
  const networks = restriction?.networks
  return !networks || isWithin(readNetworks(networks), ip)
}
