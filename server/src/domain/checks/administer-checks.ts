import { maxChecksPerOwner, type Check, type CheckChanges, type NewCheck } from '@muster/contract'
import { diffFields, definedFields, fieldsOfNew } from '../audit/field-diff.ts'
import type { Changes, EventRecord } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { chooseScope } from '../identity/choose-scope.ts'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { requesterOf } from '../identity/requester-of.ts'
import { readServerFilter } from '../inventory/server-list/read-server-filter.ts'
import { readCloudpodsParameters } from '../inventory/cloudpods-parameters.ts'
import { withReadScope } from '../inventory/with-read-scope.ts'
import { newId } from '../new-id.ts'
import type { ListQuery } from '../query/list-query.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { includes } from '../scope.ts'
import { describeCheck, describeViolation, scopeOfCheck } from './check-record.ts'
import type { CheckRecord, CountedCheck } from './check-record.ts'
import { findCheckVisibility } from './check-visibility.ts'
import { findOperatingSystems } from './end-of-life.ts'
import type { CheckStore, WriteResult } from './ports.ts'

interface Dependencies {
  readonly checks: CheckStore
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly clock: Clock
}

/** What system administrators can change of a built-in check. */
const changeableOfBuiltIn: ReadonlySet<string> = new Set(['enabled', 'grace', 'severity'])

const forbidden = (details: string) => new PlatformError('ForbiddenError', details)

/** Throws a 400 where the list of servers would reject the query, with the same reason. */
function requireValidQuery(q: string): void {
  if (q.trim() === '') throw badField('check.q', 'must have a term, such as status:unknown')
  try {
    readServerFilter({ q }, readCloudpodsParameters({}))
  } catch (error) {
    const [problem] = error instanceof PlatformError ? (error.fields ?? []) : []
    throw problem ? badField('check.q', problem.problem) : error
  }
}

/** Throws why a write failed; undefined for a conflict, which is retried. */
function resultOf<Result>(written: WriteResult, result: Result): Result | undefined {
  switch (written) {
    case 'done':
      return result
    case 'changed':
      return undefined
    case 'name-taken':
      throw new PlatformError('DuplicateNameError', 'A check with this name exists already.', {
        fields: [{ path: 'check.name', problem: 'is already in use' }],
      })
    case 'full':
      throw new PlatformError(
        'ConflictError',
        `There are ${maxChecksPerOwner} checks, which is the maximum. Delete one first.`,
      )
  }
}

function requireAllowed({ need, authorizedScope }: Caller, { built_in, ...check }: CheckRecord) {
  if (built_in && authorizedScope.scope.kind !== 'system') {
    throw forbidden('Only system administrators can change a built-in check.')
  }
  if (includes(authorizedScope.scope, scopeOfCheck(check))) return
  throw forbidden(
    `You need the permission "${need.action}" on "compute.checks" in the project or domain of the check.`,
  )
}

/** Checks: saved queries of servers that should match nothing. */
export function createCheckUseCases({ checks, reauthorizeCaller, clock }: Dependencies) {
  const toEvent = (
    caller: Caller,
    check: CheckRecord,
    action: string,
    changes: Changes,
  ): EventRecord => {
    const target = { targetType: 'check', targetId: check.id, targetName: check.name }
    const scope = scopeOfCheck(check)
    return createAuditEvent(caller, { action, ...target, scope, changes }, clock)
  }

  /** A 404 for a check that the caller cannot see. */
  async function requireCheck(caller: Caller, id: string): Promise<CountedCheck> {
    const found = await checks.find(findCheckVisibility(withReadScope(caller)), id)
    if (found) return found
    throw new PlatformError(
      'ResourceNotFoundError',
      'Check not found, or you do not have access to it.',
    )
  }

  /** Uses the caller's current permissions, and retries after a conflict. */
  const change = <Result>(
    original: Caller,
    decideAndWrite: (caller: Caller) => Promise<Result | undefined>,
  ) =>
    retryOnConflict(async () => decideAndWrite(await reauthorizeCaller(original)), {
      exhausted: () => conflicted('The check'),
    })

  function newCheck({ principal, authorizedScope }: Caller, input: NewCheck): CheckRecord {
    const scope = chooseScope(principal, authorizedScope.scope, input.scope)
    if (scope.kind === 'none' || !includes(authorizedScope.scope, scope)) {
      throw forbidden('You need the permission "create" on "compute.checks" in this scope.')
    }
    const now = clock()
    return {
      id: newId(),
      name: input.name,
      description: input.description ?? '',
      severity: input.severity ?? 'warning',
      q: input.q,
      grace: input.grace ?? 0,
      enabled: input.enabled ?? true,
      built_in: false,
      project_id: scope.kind === 'project' ? scope.projectId : '',
      domain_id: scope.kind === 'system' ? '' : scope.domainId,
      evaluated_at: null,
      error: '',
      created_at: now,
      updated_at: now,
      revision: 1,
    }
  }

  function requireChangeable({ built_in }: CheckRecord, input: CheckChanges): void {
    const fixed = Object.keys(input).find((field) => !changeableOfBuiltIn.has(field))
    if (!built_in || fixed === undefined) return
    throw badField(`check.${fixed}`, 'of a built-in check cannot be changed')
  }

  return {
    async listChecks(caller: Caller, query: ListQuery<string>, violatedBy?: string) {
      const visibility = findCheckVisibility(caller, query.scope)
      const requester = requesterOf(caller)
      const page = await checks.list(visibility, { ...query, requester, violatedBy })
      return { ...page, items: page.items.map(describeCheck) }
    },

    getCheck: async (caller: Caller, id: string) => describeCheck(await requireCheck(caller, id)),

    async listCheckViolations(caller: Caller, id: string, query: ListQuery<string>) {
      await requireCheck(caller, id)
      const page = await checks.listViolations(findCheckVisibility(caller, query.scope), id, {
        ...query,
        requester: requesterOf(caller),
      })
      return { ...page, items: page.items.map(describeViolation) }
    },

    createCheck: (original: Caller, input: NewCheck): Promise<Check> =>
      change(original, async (caller) => {
        const check = newCheck(caller, input)
        requireValidQuery(check.q)
        const { evaluated_at: _e, error: _r, revision: _v, updated_at: _u, ...audited } = check
        const event = toEvent(caller, check, 'create', fieldsOfNew(audited))
        return resultOf(await checks.insert(check, event), describeCheck({ check, violations: 0 }))
      }),

    updateCheck: (original: Caller, id: string, input: CheckChanges): Promise<Check> =>
      change(original, async (caller) => {
        const { check: before, violations } = await requireCheck(caller, id)
        requireAllowed(caller, before)
        const changes = diffFields(before, definedFields(input))
        requireChangeable(before, input)
        if (Object.keys(changes).length === 0) return describeCheck({ check: before, violations })
        const isSwitchedOff = before.enabled && input.enabled === false
        const after: CheckRecord = {
          ...before,
          ...definedFields(input),
          // Switched on again, it begins anew.
          ...(isSwitchedOff && { evaluated_at: null, error: '' }),
          updated_at: clock(),
          revision: before.revision + 1,
        }
        if (input.q !== undefined) requireValidQuery(after.q)
        const event = toEvent(caller, before, 'update', changes)
        return resultOf(
          await checks.update(before, after, event),
          describeCheck({ check: after, violations: isSwitchedOff ? 0 : violations }),
        )
      }),

    async deleteCheck(original: Caller, id: string): Promise<void> {
      await change(original, async (caller) => {
        const { check } = await requireCheck(caller, id)
        requireAllowed(caller, check)
        if (check.built_in) {
          throw new PlatformError(
            'ConflictError',
            'Built-in checks cannot be deleted. To switch this one off, set enabled to false.',
          )
        }
        return resultOf(await checks.remove(check, toEvent(caller, check, 'delete', {})), true)
      })
    },

    /** Until when vendors support operating systems, or the one that `osName` names. */
    findOperatingSystems: (osName?: string) => findOperatingSystems(clock(), osName),
  }
}
export type CheckUseCases = ReturnType<typeof createCheckUseCases>
