import type { RequiredPermission, ScopeParameter } from '@muster/contract'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import type { Caller } from '../identity/caller.ts'
import { narrowScope } from '../identity/choose-scope.ts'
import { includes, type ScopeOrNone } from '../scope.ts'
import type { CheckVisibility } from './ports.ts'

const onServers = (action: 'list' | 'delete'): RequiredPermission => ({
  service: 'compute',
  resource: 'servers',
  action,
  at: ['system', 'domain', 'project'],
})

const listAccounts: RequiredPermission = {
  service: 'compute',
  resource: 'cloudaccounts',
  action: 'list',
  at: ['system'],
}

/** The smaller of two scopes of one token, of which one has all that the other one has. */
function smaller(a: ScopeOrNone, b: ScopeOrNone): ScopeOrNone {
  if (a.kind === 'none' || b.kind === 'none') return { kind: 'none' }
  return includes(a, b) ? b : a
}

/** A violation is visible to those who may list checks, and the server or account that it is about. */
export function findCheckVisibility(caller: Caller, requested?: ScopeParameter): CheckVisibility {
  const { scope: checks } = narrowScope(caller, requested)
  const scopeOf = (need: RequiredPermission) => findAuthorizedScope(caller.principal, need).scope
  const servers = smaller(checks, scopeOf(onServers('list')))
  return {
    checks,
    servers,
    recycled: smaller(servers, scopeOf(onServers('delete'))),
    accounts: checks.kind === 'system' && scopeOf(listAccounts).kind === 'system',
  }
}
