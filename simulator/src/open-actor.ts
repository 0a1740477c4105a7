import { once } from 'node:events'
import { ActionError, SourceError } from '@muster/server/source-port'
import type { ServerActor, SourceContext } from '@muster/server/source-port'
import type { ActedServer } from './acted-server.ts'
import { createActedServers } from './acted-servers.ts'
import { tickLength } from './lifecycle.ts'
import { isSettled, planChange } from './plan-change.ts'
import { chance, diceOf } from './random-hash.ts'
import type { SimulatorSettings } from './simulator-settings.ts'
import { createSimulator } from './simulator.ts'

/** Field numbers of the random draws; each request has its own. */
const [failureField, hangField, outcomeField] = [1_000_000, 2_000_000, 3_000_000]

/** Opens the simulated servers of an account for changes. */
export function openActor(
  settings: SimulatorSettings,
  { state, clock, throttle }: Pick<SourceContext, 'state' | 'clock' | 'throttle'>,
): ServerActor {
  const { seed, delay, failures, hangs } = settings
  const simulator = createSimulator(settings)
  const actedServers = createActedServers(state, seed)
  const notFound = (externalId: string) =>
    new ActionError('not-found', `The simulator has no server ${externalId}.`)

  return {
    async act(call, { externalId }, signal) {
      await throttle()
      if (signal.aborted) throw new SourceError('timeout', 'The Simulator was interrupted.')
      const index = simulator.indexOf(externalId)
      if (index === undefined) throw notFound(externalId)
      const { acted, put } = await actedServers.open(index)
      const now = clock()
      const shown = simulator.factsAt(index, now, acted)
      // A change that nobody asked for does not stand in the way: what follows it counts.
      const isDrifting = shown && !acted.change && !isSettled(shown.status)
      const facts = isDrifting ? simulator.factsAt(index, now + tickLength, acted) : shown
      if (!facts) throw notFound(externalId)
      const resize = simulator.resizerOf(index)
      const change = planChange({ call, facts, now, delay, resize })

      const dice = diceOf(seed, index)
      const isDrawn = (field: number, percent: number) =>
        100 * chance(dice, field + acted.calls) < percent
      const calls = acted.calls + 1

      const write = async (next: ActedServer) => {
        const isWritten = await put(next).catch((cause: unknown) => {
          const message = 'The state of the simulator may not have been written.'
          throw new ActionError('outcome-unknown', message, { cause })
        })
        if (isWritten) return
        throw new ActionError('conflict', `${facts.name} is busy with another request.`)
      }
      if (isDrawn(failureField, failures)) {
        await write({ ...acted, calls })
        throw new ActionError('failed', 'The simulator was told to fail this request.')
      }
      if (!isDrawn(hangField, hangs)) return await write({ calls, change })
      // Half of the requests without a response have an effect, as with real sources.
      await write(isDrawn(outcomeField, 50) ? { calls, change } : { ...acted, calls })
      if (!signal.aborted) await once(signal, 'abort')
      throw new ActionError('outcome-unknown', 'The simulator was told not to respond.')
    },

    close: async () => {},
  }
}
