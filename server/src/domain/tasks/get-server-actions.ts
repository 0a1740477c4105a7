import {
  serverActions,
  type ScopeParameter,
  type ServerAction,
  type ServerActions,
  type TaskParameters,
} from '@muster/contract'
import type { Clock } from '../clock.ts'
import type { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { covers } from '../scope.ts'
import { notPermitted, scopeOfAction } from './action-permissions.ts'
import type { Situation } from './decide-action.ts'
import { createFindTarget, type TargetDependencies } from './find-target.ts'
import { prepareAction } from './prepare-action.ts'

/** Parameters that allow an action in more situations, such as a delete from the recycle bin. */
const permissiveParameters: Partial<Record<ServerAction, TaskParameters>> = {
  stop: { is_force: true },
  restart: { is_force: true },
  'change-config': { force_stop: true },
  delete: { is_force: true, override_pending_delete: true },
}

const notAllowed = ({ message, class: errorClass, values }: PlatformError) => ({
  allowed: false,
  reason: message,
  class: errorClass,
  ...(values && { values }),
})

/** Tells what the caller can do with a server now, with some parameters, by the decision of the action. */
export function createGetServerActions(
  dependencies: TargetDependencies & { readonly clock: Clock },
) {
  const { clock } = dependencies
  const findTarget = createFindTarget(dependencies)

  /** Whether an action can be performed, and why not. */
  function allowedWith(action: ServerAction, params: TaskParameters, situation: Situation) {
    const prepared = prepareAction(action, params, situation, clock())
    if (prepared.kind === 'refused') return notAllowed(prepared.error)
    const reason = prepared.kind === 'already' ? prepared.reason : ''
    return { allowed: reason === '', reason }
  }

  return async function getServerActions(
    caller: Caller,
    idOrName: string,
    scope?: ScopeParameter,
  ): Promise<ServerActions['actions']> {
    const { stored, situation } = await findTarget(caller, idOrName, scope)
    const { project_id: projectId, domain_id: domainId } = stored.server
    const decide = (action: ServerAction) => {
      if (!covers(scopeOfAction(caller, action), { projectId, domainId })) {
        return notAllowed(notPermitted(action))
      }
      // Nothing to change yet: a description can always be changed.
      if (action === 'update' && !stored.server.deleted) return { allowed: true, reason: '' }
      const more = permissiveParameters[action]
      const permissive = more && allowedWith(action, more, situation)
      return permissive?.allowed ? permissive : allowedWith(action, {}, situation)
    }
    const entries = serverActions.map((action) => [action, decide(action)] as const)
    return Object.fromEntries(entries) as ServerActions['actions']
  }
}
export type GetServerActions = ReturnType<typeof createGetServerActions>
