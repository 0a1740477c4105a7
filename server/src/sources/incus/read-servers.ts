import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, SourceUpdate, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { TransientError } from '../shared/status-error.ts'
import type { Connection } from './connection.ts'
import { pathOf, type Instance } from './instance.ts'
import { readLookups, type Lookups } from './lookups.ts'
import { listProjects } from './list-instances.ts'
import { encodeName } from './names.ts'
import type { Problems } from '../shared/last-results.ts'
import { isActive } from './status.ts'
import { readStorage } from './storage.ts'
import { toServer } from './to-server.ts'

/** The daemon enters each container to read its addresses, so few are read at once. */
const maxAtOnce = 4
const readState = 'read the state of an instance'

/** Keeps the addresses and drops the counters. */
const addressesOnly = (network: Json): Json =>
  Object.fromEntries(
    Object.keys(network).map((name) => {
      const found = objectOf(network, name)
      return [name, { hwaddr: textOf(found, 'hwaddr'), addresses: listOf(found, 'addresses') }]
    }),
  )

/** The network interfaces of a running instance, as they were at most `maxAge` milliseconds ago. */
async function readNetwork(
  { api, memory: { states }, clock }: Connection,
  instance: Instance,
  maxAge: number,
  { failed }: Problems,
): Promise<Json> {
  const path = pathOf(instance)
  if (!isActive(instance.status)) {
    states.delete(path)
    return {}
  }
  const { project, name, lastUsedAt } = instance
  const known = states.get(path)
  const isSameStart = known?.lastUsedAt === lastUsedAt
  if (known && isSameStart && clock() - known.readAt < maxAge) return known.network
  const readAt = clock()
  const url = `/instances/${encodeName(name)}/state`
  try {
    const state = await api.find(url, { project }, readState)
    const network = addressesOnly(objectOf(state, 'network'))
    states.set(path, { readAt, lastUsedAt, network })
    return network
  } catch (error) {
    if (!(error instanceof TransientError) || !known) throw error
    failed.set(readState, error)
    return known.network
  }
}

/** The lookups of the last scan. A single read before the first scan reads them itself. */
async function requireLookups(connection: Connection): Promise<Lookups> {
  const { memory } = connection
  memory.lookups ??= await readLookups(connection, await listProjects(connection))
  return memory.lookups
}

/** Converts instances to servers. One that cannot be read does not fail the others. */
export async function readServers(
  connection: Connection,
  instances: readonly Instance[],
  maxAge: number,
  /** Called with the path of an instance that the daemon fails to read. Otherwise its addresses are unread. */
  onFailure?: (path: string, error: unknown) => void,
): Promise<SourceUpdate> {
  const { daemon, memory } = connection
  const { index } = memory
  const lookups = await requireLookups(connection)
  await readStorage(connection, lookups, instances)
  const present: ReportedServer[] = []
  const unreadable: UnreadableServer[] = []

  async function readServer(instance: Instance): Promise<void> {
    try {
      const network = await readNetwork(connection, instance, maxAge, lookups.problems)
      present.push(toServer(instance, network, { daemon, index, lookups }))
    } catch (error) {
      if (error instanceof TransientError) {
        if (onFailure) return onFailure(pathOf(instance), error)
        // The list has everything but the addresses.
        lookups.problems.failed.set(readState, error)
        const server = toServer(instance, {}, { daemon, index, lookups })
        present.push({ ...server, unread: ['nics'] })
        return
      }
      // Anything else concerns the connection.
      if (error instanceof SourceError && error.kind !== 'failed') throw error
      unreadable.push(unreadableServer(index.keyOf(pathOf(instance)), instance.name, error))
    }
  }

  await forEachLimited(instances, maxAtOnce, readServer)
  return { present, gone: [], unreadable }
}
