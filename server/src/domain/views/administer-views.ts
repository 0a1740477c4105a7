import { maxViewsPerUser, type NewView, type SavedView, type ViewChanges } from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Changes, EventRecord } from '../audit/event.ts'
import { badField, PlatformError } from '../error.ts'
import { diffFields, fieldsOfNew, definedFields } from '../audit/field-diff.ts'
import { domainIdOf } from '../identity/principal.ts'
import { type Scope, type ScopeOrNone, covers } from '../scope.ts'
import type { Caller } from '../identity/caller.ts'
import { narrowScope } from '../identity/choose-scope.ts'
import { requesterOf } from '../identity/requester-of.ts'
import type { ListQuery } from '../query/list-query.ts'
import { newId } from '../new-id.ts'
import type { Clock } from '../clock.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { withReadScope } from '../inventory/with-read-scope.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { requireValidQuery } from './require-valid-query.ts'
import type { ViewStore, WriteResult } from './ports.ts'
import { describeView, type ViewRecord } from './view-record.ts'

interface Dependencies {
  readonly views: ViewStore
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly clock: Clock
}

const forbidden = (details: string) => new PlatformError('ForbiddenError', details)

const ownerOf = ({ project_id, domain_id }: ViewRecord) => ({
  projectId: project_id,
  domainId: domain_id,
})

/** Whether the view is shared in a project within the scope. */
const isSharedWithin = (scope: ScopeOrNone, view: ViewRecord) =>
  view.sharing === 'project' && covers(scope, ownerOf(view))

/** Lists show the token's own project only, whatever else its roles allow. */
function inOwnProject({ principal: { scope }, authorizedScope }: Caller): ScopeOrNone {
  if (scope.kind !== 'project') return { kind: 'none' }
  const { id: projectId, domain } = scope.project
  const own = { projectId, domainId: domain.id }
  return covers(authorizedScope.scope, own) ? { kind: 'project', ...own } : { kind: 'none' }
}

function requireCanShare({ need, authorizedScope }: Caller, view: ViewRecord): void {
  if (view.sharing === 'private') return
  if (view.project_id === '') {
    throw badField('view.sharing', 'must be "private": your token is for a domain, not a project')
  }
  if (isSharedWithin(authorizedScope.scope, view)) return
  throw forbidden(
    `To share a view you need the permission "${need.action}" on "compute.views" in its project.`,
  )
}

/** Throws why a write failed; undefined for a conflict, which is retried. */
function resultOf<Result>(written: WriteResult, result: Result): Result | undefined {
  switch (written) {
    case 'done':
      return result
    case 'changed':
      return undefined
    case 'name-taken':
      throw new PlatformError(
        'DuplicateNameError',
        'You already have a view with this name in this project.',
        { fields: [{ path: 'view.name', problem: 'is already in use' }] },
      )
    case 'full':
      throw new PlatformError(
        'ConflictError',
        `You have ${maxViewsPerUser} views, which is the maximum. Delete one first.`,
      )
  }
}

/** Saved views: named queries, private or shared in a project. */
export function createViewUseCases({ views, reauthorizeCaller, clock }: Dependencies) {
  function toEvent(
    caller: Caller,
    view: ViewRecord,
    action: string,
    changes: Changes,
  ): EventRecord {
    const { project_id: projectId, domain_id: domainId } = view
    const scope: Scope =
      projectId === ''
        ? { kind: 'domain', domainId: domainIdOf(caller.principal) }
        : { kind: 'project', projectId, domainId }
    const target = { targetType: 'view', targetId: view.id, targetName: view.name }
    return createAuditEvent(caller, { action, ...target, scope, changes }, clock)
  }

  /**
   * A 404 for a view that the caller cannot see. A visible view that they may not change is a 403
   * elsewhere.
   */
  async function requireView(caller: Caller, id: string): Promise<ViewRecord> {
    const view = await views.find(withReadScope(caller).authorizedScope, id)
    if (!view)
      throw new PlatformError(
        'ResourceNotFoundError',
        'View not found, or you do not have access to it.',
      )
    return view
  }

  const isOwn = ({ principal }: Caller, view: ViewRecord) => view.user_id === principal.token.userId

  /** Uses the caller's current permissions, and retries after a conflict. */
  const change = <Result>(
    original: Caller,
    decideAndWrite: (caller: Caller) => Promise<Result | undefined>,
  ) =>
    retryOnConflict(async () => decideAndWrite(await reauthorizeCaller(original)), {
      exhausted: () => conflicted('The view'),
    })

  function newView({ principal }: Caller, input: NewView): ViewRecord {
    const { scope, userStatus } = principal
    if (scope.kind === 'none') {
      throw forbidden('Your token has no scope. Log in to a project or a domain to save a view.')
    }
    const now = clock()
    return {
      id: newId(),
      name: input.name,
      resource: input.resource ?? 'servers',
      q: input.q ?? '',
      columns: input.columns ?? [],
      order_by: input.order_by ?? [],
      order: input.order ?? 'desc',
      group_by: input.group_by ?? '',
      scope: input.scope ?? '',
      sharing: input.sharing ?? 'private',
      user_id: userStatus.user.id,
      user: userStatus.user.name,
      project_id: scope.kind === 'project' ? scope.project.id : '',
      domain_id: scope.kind === 'project' ? scope.project.domain.id : '',
      created_at: now,
      updated_at: now,
      revision: 1,
    }
  }

  return {
    /** The caller's own views and those shared in the token's project. A requested scope narrows both. */
    async listViews(caller: Caller, query: ListQuery<string>) {
      const { scope } = query
      const isNarrowed = scope !== undefined && scope !== 'max'
      const { items, ...page } = await views.list(
        { self: caller.authorizedScope.self, scope: inOwnProject(caller) },
        {
          ...query,
          within: isNarrowed ? narrowScope(caller, scope).scope : { kind: 'system' },
          requester: requesterOf(caller),
        },
      )
      return { ...page, items: items.map(describeView) }
    },

    getView: async (caller: Caller, id: string) => describeView(await requireView(caller, id)),

    createView: (original: Caller, input: NewView): Promise<SavedView> =>
      change(original, async (caller) => {
        const view = newView(caller, input)
        requireValidQuery(view)
        requireCanShare(caller, view)
        const { domain_id: _d, revision: _r, updated_at: _u, user: _n, ...audited } = view
        const event = toEvent(caller, view, 'create', fieldsOfNew(audited))
        return resultOf(await views.insert(view, event), describeView(view))
      }),

    updateView: (original: Caller, id: string, input: ViewChanges): Promise<SavedView> =>
      change(original, async (caller) => {
        const before = await requireView(caller, id)
        if (!isOwn(caller, before)) throw forbidden('Only the owner can change a view.')
        const changes = diffFields(before, definedFields(input))
        if (Object.keys(changes).length === 0) return describeView(before)
        const after: ViewRecord = {
          ...before,
          ...definedFields(input),
          updated_at: clock(),
          revision: before.revision + 1,
        }
        requireValidQuery(after)
        requireCanShare(caller, after)
        const event = toEvent(caller, before, 'update', changes)
        return resultOf(await views.update(before, after, event), describeView(after))
      }),

    async deleteView(original: Caller, id: string): Promise<void> {
      await change(original, async (caller) => {
        const view = await requireView(caller, id)
        if (!isOwn(caller, view) && !isSharedWithin(caller.authorizedScope.scope, view)) {
          throw forbidden(
            'To delete a view of another user you need the permission "delete" on "compute.views" in its project.',
          )
        }
        return resultOf(await views.remove(view, toEvent(caller, view, 'delete', {})), true)
      })
    },
  }
}
export type ViewUseCases = ReturnType<typeof createViewUseCases>
