import { SourceError } from '@muster/server/source-port'
import type { SourceState, StateEntry } from '@muster/server/source-port'
import type { ActedServer } from './acted-server.ts'

/** Acted-on servers by their index. */
export type ActedServers = Map<number, ActedServer>

/** Errors of the database count as errors of the source. */
async function reading<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read
  } catch (cause) {
    throw new SourceError('failed', 'The state of the simulator cannot be read.', { cause })
  }
}

/**
 * The acted-on servers of an account. Without a state there are none. Simulated servers are a function
 * of seed, index and time, so a million of them open in milliseconds. Only servers that were acted on are
 * stored, and keep their status, size and name from then on. A deleted one leaves its row until the
 * account is deleted.
 */
export function createActedServers(state: SourceState | undefined, seed: number) {
  /** With the seed, because an account may get another one. */
  const prefix = `${seed} `
  const keyOf = (index: number) => prefix + index
  const parse = (entries: readonly StateEntry[]): ActedServers =>
    new Map(
      entries
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ key, value }) => [Number(key.slice(prefix.length)), JSON.parse(value)]),
    )

  return {
    of: async (indices: readonly number[]): Promise<ActedServers> =>
      parse(state ? await reading(state.get(indices.map(keyOf))) : []),

    /** Those changed after a version, and the new version. */
    async changedAfter(version: number) {
      const entries = state ? await reading(state.changes(version)) : []
      return { changed: parse(entries), version: entries.at(-1)?.version ?? version }
    },

    /**
     * For a request: the current server, and a function that writes it unless another request has changed it.
     */
    async open(index: number) {
      if (!state) throw new SourceError('failed', 'The simulator acts only for stored accounts.')
      const key = keyOf(index)
      const entries = await reading(state.get([key]))
      const version = entries[0]?.version ?? 0
      return {
        acted: parse(entries).get(index) ?? { calls: 0 },
        put: (acted: ActedServer) => state.put({ key, value: JSON.stringify(acted), version }),
      }
    },
  }
}
