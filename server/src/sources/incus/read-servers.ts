import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, SourceUpdate, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import { pathOf, type Instance } from './instance.ts'
import { readLookups, type Lookups } from './lookups.ts'
import { listProjects } from './list-instances.ts'
import { encodeName } from './names.ts'
import { noteFailure } from './problems.ts'
import { isActive } from './status.ts'
import { readStorage } from './storage.ts'
import { toServer } from './to-server.ts'

/** The daemon enters each container to read its addresses, so few are read at once. */
const maxAtOnce = 4
const readState = 'read the state of an instance'
/** Reads without an answer after which no more states are read: the others would only wait, too. */
const maxLate = 8

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
  const state = await api.find(url, { project }, readState)
  const network = addressesOnly(objectOf(state, 'network'))
  states.set(path, { readAt, lastUsedAt, network })
  return network
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
): Promise<SourceUpdate> {
  const { api, daemon, memory } = connection
  const { index } = memory
  const lookups = await requireLookups(connection)
  await readStorage(connection, lookups, instances)
  const present: ReportedServer[] = []
  const unreadable: UnreadableServer[] = []

  let late = 0

  /** Undefined if they could not be read. The list has everything else. */
  async function findNetwork(instance: Instance): Promise<Json | undefined> {
    if (late >= maxLate) return undefined
    try {
      return await readNetwork(connection, instance, maxAge)
    } catch (error) {
      noteFailure(lookups.problems, api, readState, error)
      if (error instanceof SourceError && error.kind === 'timeout') late += 1
      return undefined
    }
  }

  async function readServer(instance: Instance): Promise<void> {
    const network = await findNetwork(instance)
    try {
      present.push(toServer(instance, network, { daemon, index, lookups }))
    } catch (error) {
      unreadable.push(unreadableServer(index.keyOf(pathOf(instance)), instance.name, error))
    }
  }

  await forEachLimited(instances, maxAtOnce, readServer)
  return { present, gone: [], unreadable }
}
