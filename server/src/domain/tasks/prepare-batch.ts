import type {
  BatchPreview,
  BatchRequest,
  ScopeParameter,
  ServerAction,
  TaskParameters,
} from '@muster/contract'
import type { Clock } from '../clock.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { chooseScope } from '../identity/choose-scope.ts'
import { createFindMatches } from '../inventory/find-matches.ts'
import type { ServerFinder, ServerWriter, StoredServer } from '../inventory/ports.ts'
import { covers, type ScopeOrNone } from '../scope.ts'
import { notVisible } from './describe-task.ts'
import { deleteParameters } from './action-parameters.ts'
import { notPermitted, scopeOfAction } from './action-permissions.ts'
import type { TaskStore } from './ports.ts'
import { prepareAction, type Prepared } from './prepare-action.ts'
import type { RequireAnswer } from './require-answer.ts'
import type { LoadSituations } from './situations.ts'

export interface PrepareDependencies {
  readonly finder: ServerFinder
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly loadSituations: LoadSituations
  readonly tasks: TaskStore
  readonly requireAnswer: RequireAnswer
  readonly recycleFor: number
  readonly clock: Clock
}

/** One server of a batch. Without a stored server the caller cannot see it. */
export interface Item {
  readonly id: string
  readonly stored: StoredServer | undefined
  readonly prepared: Prepared
}
export type SeenItem = Item & { readonly stored: StoredServer }

export const isSeen = (item: Item): item is SeenItem => item.stored !== undefined

const notFound = new PlatformError('ResourceNotFoundError', notVisible)

/** The requested scope; without a request, that of the token. */
export const scopeOfBatch = (
  { principal, authorizedScope }: Caller,
  wanted?: ScopeParameter,
): ScopeOrNone => chooseScope(principal, authorizedScope.scope, wanted)

/** Finds the servers of a batch and decides for each what the action would do. */
export function createPrepareBatch(dependencies: PrepareDependencies) {
  const { serverWriter, loadSituations, clock } = dependencies
  const findMatches = createFindMatches(dependencies.finder)

  async function prepareItem(
    caller: Caller,
    action: ServerAction,
    params: TaskParameters,
    stored: StoredServer,
    situations: Awaited<ReturnType<LoadSituations>>,
  ): Promise<Prepared> {
    const { project_id: projectId, domain_id: domainId } = stored.server
    if (!covers(scopeOfAction(caller, action), { projectId, domainId })) {
      return { kind: 'refused', error: notPermitted(action) }
    }
    const situation = situations.get(stored.id)
    if (!situation) return { kind: 'refused', error: notFound }
    const wanted =
      action === 'delete' ? await deleteParameters(params, stored, dependencies) : params
    return prepareAction(action, wanted, situation, clock())
  }

  async function prepareItems(
    caller: Caller,
    { action, ids, q }: BatchRequest,
    params: TaskParameters,
    scope?: ScopeParameter,
  ): Promise<Item[]> {
    const wanted = [
      ...new Set(ids ?? (await findMatches(caller, { q: q ?? '', path: 'batch', scope }))),
    ]
    const stored = await serverWriter.findStored(wanted)
    const visible = scopeOfBatch(caller, scope ?? 'max')
    const seesDeleted = scopeOfAction(caller, 'delete')
    const seen = [...stored.values()].filter(({ server }) => {
      const owner = { projectId: server.project_id, domainId: server.domain_id }
      return covers(visible, owner) && (!server.deleted || covers(seesDeleted, owner))
    })
    const situations = await loadSituations(seen)
    const byId = new Map(seen.map((one) => [one.id, one]))
    const items: Item[] = []
    for (const id of wanted) {
      const one = byId.get(id)
      // Gives the same result for servers that do not exist and for those of others.
      const prepared: Prepared = one
        ? await prepareItem(caller, action, params, one, situations)
        : { kind: 'refused', error: notFound }
      items.push({ id, stored: one, prepared })
    }
    return await refuseSilent(items, situations)
  }

  /** Refuses the servers of sources and regions that do not answer. Each is contacted once. */
  async function refuseSilent(
    items: readonly Item[],
    situations: Awaited<ReturnType<LoadSituations>>,
  ): Promise<Item[]> {
    async function contact(item: Item): Promise<Item> {
      const situation = situations.get(item.id)
      if (item.prepared.kind !== 'task' || !situation?.attached) return item
      try {
        await dependencies.requireAnswer(situation.attached, situation.server)
        return item
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        return { ...item, prepared: { kind: 'refused', error } }
      }
    }
    return await Promise.all(items.map(contact))
  }

  return prepareItems
}

/** What a dry run returns. */
export const previewBatch = (
  action: ServerAction,
  matched: string,
  items: readonly Item[],
): BatchPreview => ({
  action,
  matched,
  total: items.length,
  items: items.map(({ id, stored, prepared }) => ({
    server_id: id,
    server: stored?.server.name ?? '',
    outcome:
      prepared.kind === 'refused' ? 'refused' : prepared.kind === 'already' ? 'already' : 'act',
    reason:
      prepared.kind === 'refused'
        ? prepared.error.message
        : prepared.kind === 'already'
          ? prepared.reason
          : '',
    ...(prepared.kind === 'refused' && {
      class: prepared.error.class,
      ...(prepared.error.values && { values: prepared.error.values }),
    }),
  })),
})
