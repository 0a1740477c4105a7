import { setTimeout as pause } from 'node:timers/promises'
import { defaultRequestTimeout } from '@muster/contract'
import { LRUCache } from 'lru-cache'
import { PlatformError } from '../error.ts'
import type { Account } from './account.ts'
import type { ServerActor } from './action-port.ts'
import { deadline } from './deadline.ts'
import type { AccountStore } from './ports.ts'
import type {
  Egress,
  Source,
  SourceContext,
  SourceKind,
  SourceKinds,
  SourceSettings,
  SourceState,
} from './source.ts'

/** A rate limit per second, with a burst of one second's requests. */
export function createThrottle(perSecond: number, clock: () => number = () => performance.now()) {
  const interval = 1_000 / perSecond
  let next = clock() - 1_000

  return async function throttle(): Promise<void> {
    const now = clock()
    next = Math.max(next + interval, now - 1_000)
    if (next > now) await pause(next - now)
  }
}

interface Dependencies {
  readonly kinds: SourceKinds
  readonly accounts: Pick<AccountStore, 'credentialsOf'>
  readonly stateOf: (accountId: string) => SourceState
  readonly egress: Egress
  readonly clock: () => number
}

/** Milliseconds to open a source, beside the time limit of one request. */
const openMargin = 10_000
const maxThrottles = 10_000

const unknownKind = (provider: string) =>
  new PlatformError('InputParameterError', `No provider is named ${provider}.`)

/** Opens the sources of accounts, with one rate limit per account. */
export function createOpenSource({ kinds, accounts, stateOf, egress, clock }: Dependencies) {
  const throttles = new LRUCache<string, SourceContext['throttle']>({ max: maxThrottles })

  async function loadKind(provider: string): Promise<SourceKind> {
    const load = kinds.get(provider)
    if (!load) throw unknownKind(provider)
    return await load()
  }

  function throttleFor(name: string, kind: SourceKind): SourceContext['throttle'] {
    const throttle = throttles.get(name) ?? createThrottle(kind.requestsPerSecond)
    throttles.set(name, throttle)
    return throttle
  }

  const contextOf = (
    own: Pick<SourceContext, 'throttle' | 'accountId' | 'state'>,
    timeout = defaultRequestTimeout,
  ): SourceContext => ({ egress, clock, timeLimit: timeout * 1_000, ...own })
  const limited = (signal: AbortSignal, { timeLimit }: SourceContext) =>
    AbortSignal.any([signal, deadline(timeLimit + openMargin)])

  /** Each purpose has a rate limit of its own, so that one does not delay another. */
  async function prepare(account: Account, purpose: 'scan' | 'get' | 'act') {
    const { id, address, options } = account
    const settings = { address, options, credentials: await accounts.credentialsOf(id) }
    const kind = await loadKind(account.provider)
    const throttle = throttleFor(`${purpose} ${id}`, kind)
    return {
      kind,
      settings,
      context: contextOf({ throttle, accountId: id, state: stateOf(id) }, account.request_timeout),
    }
  }

  return {
    loadKind,
    /** A connection that a kind shares between purposes has the rate limit of the one that opened it. */
    async openAccount(
      account: Account,
      signal: AbortSignal,
      purpose: 'scan' | 'get' = 'scan',
    ): Promise<Source> {
      const { kind, settings, context } = await prepare(account, purpose)
      return await kind.open(settings, context, limited(signal, context))
    },
    /** Opens a connection that may change servers. The kind must support actions. */
    async openActor(account: Account, signal: AbortSignal): Promise<ServerActor> {
      const { kind, settings, context } = await prepare(account, 'act')
      if (!kind.acting) throw new Error(`sources of ${kind.provider} cannot act`)
      return await kind.acting.open(settings, context, limited(signal, context))
    },
    /** Undefined if sources of the provider can only be read. */
    async openSettingsActor(provider: string, settings: SourceSettings, signal: AbortSignal) {
      const kind = await loadKind(provider)
      const throttle = throttleFor(`${provider} ${settings.address}`, kind)
      const context = contextOf({ throttle })
      return await kind.acting?.open(settings, context, limited(signal, context))
    },
    async openSettings(provider: string, settings: SourceSettings, signal: AbortSignal) {
      const kind = await loadKind(provider)
      const throttle = throttleFor(`${provider} ${settings.address}`, kind)
      const context = contextOf({ throttle })
      return await kind.open(settings, context, limited(signal, context))
    },
  }
}
export type OpenSource = ReturnType<typeof createOpenSource>
