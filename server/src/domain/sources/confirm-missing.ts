import {
  selectReads,
  type Confirmation,
  type Holding,
  type MissingServer,
} from './missing-servers.ts'
import { SourceError } from './source-error.ts'
import type { ReportedServer, ServerReference, Source, UnreadableServer } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

/** In one scan. At 20 requests per second, this takes ten seconds. */
const maxSingleReads = 200
/** Where a source reads several servers with one request. */
const maxBatchReads = 2_000
const maxConcurrentReads = 8
/** How many servers of a failed batch are then read one by one. */
const maxUndecided = 20
/** Consecutive errors before the source counts as failed. A single server can have an error of its own. */
const maxFailedReads = 5

interface Confirming extends Holding {
  readonly source: Pick<Source, 'get' | 'getMany'>
  readonly missing: readonly MissingServer[]
  readonly referencesOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, ServerReference>>
  /** Whether this scan has reported the server. */
  readonly isSeen: (id: string) => boolean
  readonly signal: AbortSignal
}

interface Confirmed {
  readonly confirmations: ReadonlyMap<string, Confirmation>
  /** Servers that exist although the scan missed them. */
  readonly existing: readonly (ReportedServer | UnreadableServer)[]
}

type Reference = readonly [id: string, reference: ServerReference]

/**
 * Reads missing servers. The first error of a batch, or a few of single reads, end it: a source that fails would
 * delay the scan for long.
 */
export async function confirmMissing(confirming: Confirming): Promise<Confirmed> {
  const { source, missing, isSeen, signal } = confirming
  const confirmations = new Map<string, Confirmation>()
  const existing: (ReportedServer | UnreadableServer)[] = []

  /** Returns false if the source has failed. */
  async function read(
    some: readonly Reference[],
    get: () => Promise<readonly (ReportedServer | UnreadableServer | undefined)[]>,
  ): Promise<boolean> {
    try {
      const servers = await get()
      for (const [index, [id]] of some.entries()) {
        const server = servers[index]
        // A source may report the server by another key now, such as after a change of settings.
        if (!server || (serverIdOf(server) !== id && isSeen(serverIdOf(server)))) {
          confirmations.set(id, 'gone')
        } else if (serverIdOf(server) === id) {
          confirmations.set(id, 'exists')
          existing.push(server)
        }
      }
      return true
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error
      // A source that cannot decide has answered.
      return error.kind === 'incomplete'
    }
  }

  async function readOneByOne(references: readonly Reference[]): Promise<void> {
    const queue = references.values()
    let failedInARow = 0
    async function readNext(): Promise<void> {
      for (const each of queue) {
        const isRead = await read([each], async () => [await source.get(each[1], signal)])
        failedInARow = isRead ? 0 : failedInARow + 1
        if (failedInARow >= maxFailedReads) return
      }
    }
    await Promise.all(Array.from({ length: maxConcurrentReads }, readNext))
  }

  /** A server that the source cannot decide about must not hide the answers about others. */
  async function readBatch(
    some: readonly Reference[],
    getMany: NonNullable<Source['getMany']>,
  ): Promise<void> {
    const wanted = some.map(([, reference]) => reference)
    const isRead = await read(some, () => getMany(wanted, signal))
    const isUndecided = isRead && !some.some(([id]) => confirmations.has(id))
    if (!isUndecided || some.length < 2 || some.length > maxUndecided) return
    for (const one of some) await read([one], () => getMany([one[1]], signal))
  }

  const { getMany } = source
  const reads = selectReads(missing, getMany ? maxBatchReads : maxSingleReads, confirming)
  const references = [
    ...(await confirming.referencesOf(reads.map(({ sighting }) => sighting.serverId))),
  ]
  if (getMany) {
    // By region, so that one that fails does not affect the others.
    for (const some of Map.groupBy(references, ([, { regionId }]) => regionId).values()) {
      await readBatch(some, getMany)
    }
  } else await readOneByOne(references)
  return { confirmations, existing }
}
