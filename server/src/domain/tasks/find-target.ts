import type { ScopeParameter } from '@muster/contract'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { FindServer } from '../inventory/get-server.ts'
import type { ServerWriter } from '../inventory/ports.ts'
import { withReadScope } from '../inventory/with-read-scope.ts'
import type { Situation } from './decide-action.ts'
import type { LoadSituations } from './situations.ts'

export interface TargetDependencies {
  readonly findServer: FindServer
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly loadSituations: LoadSituations
}

/** Finds the server of an action, and what the decision about the action needs. */
export function createFindTarget({ findServer, serverWriter, loadSituations }: TargetDependencies) {
  return async function findTarget(caller: Caller, idOrName: string, scope?: ScopeParameter) {
    const { parts } = await findServer(withReadScope(caller), idOrName, scope)
    const stored = (await serverWriter.findStored([parts.id])).get(parts.id)
    if (!stored) throw new PlatformError('ResourceNotFoundError', 'Server not found.')
    const situation = (await loadSituations([stored])).get(stored.id)
    return { stored, situation: situation as Situation }
  }
}
