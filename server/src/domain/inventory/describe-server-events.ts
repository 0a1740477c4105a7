import type { Server } from '@muster/contract'
import { createEvent } from '../audit/create-event.ts'
import type { Changes, EventRecord } from '../audit/event.ts'
import { callerFields } from './fields.ts'
import type { ServerWrite, StoredServer } from './ports.ts'

/** No request caused the change: a source reported it. */
const fromSource = { ip: '', requestId: '', isConfidential: true }

/**
 * Fields that events leave out: they follow from another field, count changes, or are not visible to
 * everyone.
 */
const untold: ReadonlySet<string> = new Set<keyof Server>([
  ...callerFields,
  'metadata',
  'updated_at',
  'update_version',
  'deleted_at',
  'tenant',
  'tenant_id',
  'project',
  'project_domain',
  'manager_project',
  'manager_domain',
  'cloudregion',
  'region_id',
  'region_external_id',
  'disk_count',
  'disks',
  'networks',
  'secgroup',
  'secgrp_id',
])

/** Notes by which Muster keeps track of its own tasks and fields. */
const untoldNotes: ReadonlySet<string> = new Set([
  'sys:task_id',
  'sys:settled_status',
  'sys:described_by',
])

/** The fields that the event of a new server lists. The server itself has the others. */
const introduction = [
  'name',
  'status',
  'ips',
  'instance_type',
  'host',
  'account',
  'project_id',
] as const

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

function compare(before: object, after: object, ignored?: ReadonlySet<string>): Changes {
  const [old, fresh] = [before, after] as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>,
  ]
  const changes: Changes = {}
  for (const key of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
    if (untold.has(key) || ignored?.has(key) || isSame(old[key], fresh[key])) continue
    changes[key] = [old[key] ?? null, fresh[key] ?? null]
  }
  return changes
}

/**
 * The values before and after of every field that events list; tags by their keys. A field that the stored
 * server did not have yet has not changed.
 */
export const changesOf = ({ server: before, newFields }: StoredServer, after: Server): Changes => ({
  ...compare(before, after, newFields),
  ...compare(before.metadata, after.metadata, untoldNotes),
})

/** The new domain of a server sees where the server came from, but none of its earlier values. */
const withoutPast = (changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([key, [before, after]]) => [
      key,
      key === 'project_id' || key === 'domain_id' ? [before, after] : [null, after],
    ]),
  )

function actionOf({ stored, server }: ServerWrite): { action: string; changes: Changes } {
  if (!stored) {
    return {
      action: 'create',
      changes: Object.fromEntries(introduction.map((key) => [key, [null, server[key]]])),
    }
  }
  const action = server.deleted ? 'delete' : stored.server.deleted ? 'restore' : 'update'
  const changes = changesOf(stored, server)
  const isOfOthers = stored.server.domain_id !== server.domain_id
  return { action, changes: isOfOthers ? withoutPast(changes) : changes }
}

function describeServerEvent(write: ServerWrite, account: string, time: number): EventRecord {
  const { id, name, project_id: projectId, domain_id: domainId } = write.server
  return createEvent({
    user: account === '' ? undefined : { id: '', name: `account ${account}` },
    origin: fromSource,
    result: 'success',
    time,
    action: {
      ...actionOf(write),
      targetType: 'server',
      targetId: id,
      targetName: name,
      scope: { kind: 'project', projectId, domainId },
    },
  })
}

const saysNothing = ({ action, changes }: EventRecord) =>
  action === 'update' && Object.keys(changes).length === 0

/**
 * The events of changed servers, in the scope of their owners. The actor is the account that reported the
 * change.
 */
export const describeServerEvents = (
  writes: readonly ServerWrite[],
  account: string,
  time: number,
): EventRecord[] =>
  writes
    .map((write) => describeServerEvent(write, account, time))
    .filter((event) => !saysNothing(event))
