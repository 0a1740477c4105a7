import { setTimeout as pause } from 'node:timers/promises'
import type { Call, FaultyBackEnd, ResponseFault } from './back-end.ts'

const faultNames = [
  'connection refused',
  'reset before the request',
  'answer lost',
  '500',
  '503',
  '401',
  '429',
  'no answer',
  'cut',
  'garbage',
  'empty list',
  'half list',
  'back end restarted',
  'Muster killed',
] as const
export type FaultName = (typeof faultNames)[number]

/** Faults of one response. The others take the back end or Muster away. */
const ofResponses: Partial<Record<FaultName, ResponseFault>> = {
  'reset before the request': 'reset',
  'answer lost': 'lost',
  '500': 500,
  '503': 503,
  '401': 401,
  '429': 429,
  'no answer': 'hang',
  cut: 'cut',
  garbage: 'garbage',
  'empty list': { keep: 'none' },
  'half list': { keep: 'half' },
}

export const isOfResponse = (fault: FaultName): boolean => ofResponses[fault] !== undefined

/** A request that a clean run sent. */
export interface RecordedCall {
  readonly call: Call
  /** How many requests came before it, without heartbeats. */
  readonly index: number
  /** Of the list in the response; 0 if there is none. */
  readonly items: number
  /** Whether the fault spares the first request of this name. */
  readonly isSecond: boolean
}

/** Faults of a request after an equal one was answered: one of each sort. */
const ofSecond: readonly FaultName[] = ['answer lost', '500', 'half list', 'Muster killed']
/** Faults of a request that has all faults in another action. */
const ofKnown: readonly FaultName[] = ['answer lost', '500', 'half list']

/**
 * Faults that change something about this request: a list is needed for those of lists. A request is known if it
 * only reads and another action sends it too.
 */
export function faultsOf(
  { items, isSecond }: RecordedCall,
  { isKnown }: { readonly isKnown: boolean },
): readonly FaultName[] {
  if (isKnown && isSecond) return []
  const names = isKnown ? ofKnown : isSecond ? ofSecond : faultNames
  return names.filter(
    (name) => (name !== 'empty list' || items > 0) && (name !== 'half list' || items > 1),
  )
}

/** Milliseconds for which a back end without state of its own is away when it restarts. */
const downtime = 1_500

/** A fault that waits for its request. */
export interface ArmedFault {
  readonly hit: Promise<void>
  readonly isHit: () => boolean
  /** Ends the fault. */
  heal(): Promise<void>
}

/**
 * Lets the fault happen at the first request like the recorded one, or at the second. It lasts until it is healed. If
 * it is single, requests with another content pass.
 */
export function armFault(
  { port, restart }: FaultyBackEnd,
  { call, index, isSecond }: RecordedCall,
  fault: FaultName,
  killMuster: () => void,
  isSingle = false,
): ArmedFault {
  const { promise: hit, resolve } = Promise.withResolvers<void>()
  let isHit = false
  let restarted: Promise<void> | undefined
  const happen = () => {
    isHit = true
    resolve()
  }
  let equal = 0
  let content: string | undefined
  const matches = (one: Call) => {
    if (one.name !== call.name || (isSecond && equal < 2)) return false
    content ??= one.content
    return !isSingle || one.content === content
  }
  const response = ofResponses[fault]
  if (response !== undefined) port.inject(response, matches)
  const refuse = (passing?: Call) => {
    port.refuse()
    port.inject('reset', (one) => one !== passing)
    happen()
  }
  let seen = 0
  port.onCall = (one) => {
    if (isHit || one.isHeartbeat === true) return
    seen += 1
    if (one.name === call.name) equal += 1
    if (fault === 'connection refused') {
      // Right before the request, so that nothing listens when it is sent.
      if (seen === index) refuse(one)
      else if (matches(one)) refuse()
      return
    }
    if (!matches(one)) return
    happen()
    if (fault === 'Muster killed') {
      port.inject('lost', matches)
      killMuster()
    }
    if (fault === 'back end restarted') {
      port.inject('lost', () => true)
      restarted = (async () => {
        if (restart) return await restart()
        port.cut()
        await pause(downtime)
      })().then(() => port.heal())
    }
  }
  if (fault === 'connection refused' && index === 0) refuse()
  return {
    hit,
    isHit: () => isHit,
    async heal() {
      await restarted
      port.heal()
    },
  }
}
