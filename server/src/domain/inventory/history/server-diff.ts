import type { Server } from '@muster/contract'
import { defaultServer, derivedFields, upgradeServer } from '../build-server.ts'
import { microsecondsOf } from '../../query/parse-timestamp.ts'
import { timestampOfMicroseconds } from '../../timestamp.ts'
import { callerFields } from '../fields.ts'
import { origins } from '../metadata.ts'
import { ownersFields } from '../render-server.ts'

/**
 * What differs between two versions of a server: each field, and each key of the metadata, with its value
 * before and after. A key that does not exist has the value null.
 */
export type ServerDiff = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

/** Fields that only some callers see, but that are stored. */
export const adminFields: ReadonlySet<string> = new Set<keyof Server>([
  'admin_secgrp_id',
  'admin_security_rules',
])

/**
 * Fields that no version stores, or that follow from others. `update_version` is almost always one more.
 * `updated_at` is stored apart, because each version has another one.
 */
const left: ReadonlySet<string> = new Set<keyof Server>([
  ...callerFields.filter((name) => !adminFields.has(name)),
  ...ownersFields,
  ...derivedFields,
  'id',
  'metadata',
  'update_version',
  'updated_at',
])

const prefixes = Object.values(origins)
const isTag = (key: string) => prefixes.some((prefix) => key.startsWith(prefix))

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))

type Tags = Readonly<Record<string, string>>

/** Fields of which each version has one. The stored JSON leaves out some that have their default value. */
const fields = Object.keys(defaultServer).filter((name) => !left.has(name)) as (keyof Server)[]

/** Whether a difference can have this field or tag. */
export const isDiffed = (key: string): boolean =>
  isTag(key) || (fields as readonly string[]).includes(key)

/** Whether microseconds tell the time. Sources can report the year 1. */
const isExact = (time: string | null) =>
  time === null || timestampOfMicroseconds(microsecondsOf(time)) === time

/** `newFields` did not exist when the earlier version was stored, so they have not changed. */
export function diffServers(
  before: Server,
  after: Server,
  newFields: ReadonlySet<string> = new Set(),
): ServerDiff {
  const diff: Record<string, readonly [unknown, unknown]> = {}
  const valueOf = (server: Partial<Server>, name: keyof Server) =>
    server[name] ?? defaultServer[name]
  for (const name of fields) {
    const [old, fresh] = [valueOf(before, name), valueOf(after, name)]
    if (!newFields.has(name) && !isSame(old, fresh)) diff[name] = [old, fresh]
  }
  if (after.update_version !== before.update_version + 1) {
    diff['update_version'] = [before.update_version, after.update_version]
  }
  if (!isExact(before.updated_at)) diff['updated_at'] = [before.updated_at, null]
  const [old, fresh]: [Tags, Tags] = [before.metadata, after.metadata]
  for (const key of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
    if (old[key] !== fresh[key]) diff[key] = [old[key] ?? null, fresh[key] ?? null]
  }
  return diff
}

/** The version before a change. `updatedAt` is that of the version. */
export function undoDiff(after: Server, diff: ServerDiff, updatedAt: string): Server {
  const earlier: Record<string, unknown> = {}
  const tags = new Map(Object.entries(after.metadata))
  for (const [key, [before]] of Object.entries(diff)) {
    if (!isTag(key)) earlier[key] = before
    else if (before === null) tags.delete(key)
    else tags.set(key, before as string)
  }
  return upgradeServer({
    ...after,
    ...earlier,
    metadata: Object.fromEntries([...tags].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    update_version: (diff['update_version']?.[0] ?? after.update_version - 1) as number,
    updated_at: (diff['updated_at']?.[0] ?? updatedAt) as string,
  })
}
