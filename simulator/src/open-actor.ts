import { once } from 'node:events'
import { ActionError, SourceError } from '@muster/server/source-port'
import type {
  ServerActor,
  SourceCall,
  SourceContext,
  SourceRequest,
} from '@muster/server/source-port'
import type { ActedServer } from './acted-server.ts'
import { createActedServers } from './acted-servers.ts'
import { tickLength } from './lifecycle.ts'
import { isSettled, planChange } from './plan-change.ts'
import { chance, diceOf } from './random-hash.ts'
import type { SimulatorSettings } from './simulator-settings.ts'
import { createSimulator } from './simulator.ts'

/** Field numbers of the random draws; each request has its own. */
const [failureField, hangField, outcomeField] = [1_000_000, 2_000_000, 3_000_000]

/** A call takes one request. */
function toRequest({ kind, ...values }: SourceCall): SourceRequest {
  const [inner] = Object.values(values)
  const data = typeof inner === 'object' ? inner : values
  return { name: kind, data: data as SourceRequest['data'] & object }
}

function toCall({ name, data = {} }: SourceRequest): SourceCall {
  if (name === 'resize') return { kind: name, size: data }
  if (name === 'update') return { kind: name, changes: data }
  return { kind: name, ...data } as SourceCall
}

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

  const send: ServerActor['send'] = async (request, { externalId }, signal) => {
    await throttle()
    if (signal.aborted) throw new SourceError('timeout', 'The Simulator was interrupted.')
    const index = simulator.indexOf(externalId)
    if (index === undefined) throw notFound(externalId)
    const { acted, put } = await actedServers.open(index)
    const now = clock()
    const shown = simulator.factsAt(index, now, acted)
    // A simulated change in progress does not block the request: the state after it counts.
    const isDrifting = shown && !acted.change && !isSettled(shown.status)
    const facts = isDrifting ? simulator.factsAt(index, now + tickLength, acted) : shown
    if (!facts) throw notFound(externalId)
    const resize = simulator.resizerOf(index)
    const change = planChange({ call: toCall(request), facts, now, delay, resize })

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
      const message = `${facts.name} is busy with another request.`
      throw new ActionError('conflict', message, { mayRetry: true })
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
  }

  return {
    plan: async (call) => [toRequest(call)],
    send,
    close: async () => {},
  }
}
