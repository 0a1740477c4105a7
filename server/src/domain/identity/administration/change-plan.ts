import { administeredResources, type AdministeredResource } from '@muster/contract'
import type { Changes } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../caller.ts'
import type { ReauthorizeCaller } from '../reauthorize-caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { diffFields, fieldsOfNew } from '../../audit/field-diff.ts'
import type { ChangePlan, Registry, Write } from './registry.ts'
import { nounOf, type ResourceKind, type Resources, type Secrets } from './resources.ts'
import { everywhere, type Scope } from '../../scope.ts'
import { ownerIn } from './require-resource.ts'

export type SecretFields<K extends ResourceKind> = K extends keyof Secrets ? Secrets[K] : object

/** What a change writes besides the fields of the request. */
export interface Extras<K extends ResourceKind> {
  /** Fields that are not in the request as they are stored. */
  readonly fields?: Partial<Resources[K]>
  readonly secrets?: Partial<SecretFields<K>> | undefined
  /** How the event shows the secrets. */
  readonly changes?: Changes
  readonly writes?: readonly Write[]
}

/** A plan that changes nothing. */
export const noChange: ChangePlan<undefined> = { writes: [], events: [], result: undefined }

/** Several plans as one, so that all of it is written or nothing. */
export const joinPlans = <Result>(
  plans: readonly ChangePlan<unknown>[],
  result: Result,
): ChangePlan<Result> => ({
  writes: plans.flatMap(({ writes }) => writes),
  events: plans.flatMap(({ events }) => events),
  result,
})

interface Planning<K extends ResourceKind> {
  readonly registry: Registry
  readonly clock: Clock
  /** The fields as events list them. */
  readonly toFields?: ((resource: Partial<Resources[K]>) => object) | undefined
}

/** Where a resource belongs: those who administer it see its events. */
async function scopeOf<K extends ResourceKind>(
  registry: Registry,
  kind: K,
  resource: Resources[K],
): Promise<Scope> {
  const { domain, project }: AdministeredResource['visibility'] =
    administeredResources[kind].visibility
  if (typeof project === 'object' && 'project' in project) {
    const projectId = ownerIn(resource, project.project) ?? ''
    const domainId =
      ownerIn(resource, 'domain_id') ??
      (await registry.find('projects', projectId, everywhere))?.domain_id
    return { kind: 'project', projectId, domainId: domainId ?? '' }
  }
  return typeof domain === 'object' && 'domain' in domain
    ? { kind: 'domain', domainId: ownerIn(resource, domain.domain) ?? '' }
    : { kind: 'system' }
}

/** Plans changes of one kind of resource: the rows to write and the event that records them. */
export function createChangePlans<K extends ResourceKind>(
  kind: K,
  { registry, clock, toFields = (resource) => resource }: Planning<K>,
) {
  const toEvent = async (
    caller: Caller,
    action: string,
    resource: Resources[K],
    changes: Changes,
  ) =>
    createAuditEvent(
      caller,
      {
        action,
        targetType: nounOf(kind),
        targetId: resource.id,
        targetName: resource.name,
        scope: await scopeOf(registry, kind, resource),
        changes,
      },
      clock,
    )

  return {
    async toCreate(
      caller: Caller,
      resource: Resources[K],
      secrets?: SecretFields<K>,
    ): Promise<ChangePlan<Resources[K]>> {
      const row = { ...resource, ...secrets }
      return {
        writes: [{ do: 'insert', kind, row } as unknown as Write],
        events: [await toEvent(caller, 'create', resource, fieldsOfNew(toFields(resource)))],
        result: resource,
      }
    },

    /** Writes nothing where no field would change. */
    async toUpdate(
      caller: Caller,
      before: Resources[K],
      input: Partial<Resources[K]>,
      { fields, secrets, changes, writes = [] }: Extras<K> = {},
    ): Promise<ChangePlan<Resources[K]>> {
      const written = { ...input, ...fields }
      const after = { ...before, ...written }
      const difference = { ...diffFields(toFields(before), toFields(written)), ...changes }
      if (Object.keys(difference).length === 0) return { writes: [], events: [], result: after }
      const update = { do: 'update', kind, id: before.id, changes: { ...written, ...secrets } }
      return {
        writes: [update as unknown as Write, ...writes],
        events: [await toEvent(caller, 'update', after, difference)],
        result: after,
      }
    },

    /** Foreign keys delete the rows that refer to it. */
    async toDelete(
      caller: Caller,
      resource: Resources[K],
      { writes = [], changes = {} }: Extras<K> = {},
    ): Promise<ChangePlan<undefined>> {
      return {
        // Its row first: what a concurrent transaction adds to it is then deleted by the statements
        // that follow.
        writes: [{ do: 'delete', kind, id: resource.id }, ...writes],
        events: [await toEvent(caller, 'delete', resource, changes)],
        result: undefined,
      }
    },

    /** Adds or removes a relation between this resource and another. */
    async toRelate(
      caller: Caller,
      action: string,
      resource: Resources[K],
      changes: Changes,
      write: Write,
    ): Promise<ChangePlan<undefined>> {
      return {
        writes: [write],
        events: [await toEvent(caller, action, resource, changes)],
        result: undefined,
      }
    },
  }
}

/** Plans and applies a change with the caller's current permissions. */
export type Change = <Result>(
  caller: Caller,
  decide: (caller: Caller) => Promise<ChangePlan<Result>>,
) => Promise<Result>

/**
 * Reads the caller's permissions again for each plan: they may have changed since the request
 * arrived.
 */
export const createChange =
  (registry: Registry, reauthorizeCaller: ReauthorizeCaller): Change =>
  (caller, decide) =>
    registry.applyChange(async () => decide(await reauthorizeCaller(caller)))
