import { LRUCache } from 'lru-cache'
import { PlatformError } from '../error.ts'
import type { Account } from './account.ts'
import { deadline } from './deadline.ts'
import { createThrottle } from './throttle.ts'
import type { AccountStore } from './ports.ts'
import type {
  Egress,
  Source,
  SourceContext,
  SourceKind,
  SourceKinds,
  SourceSettings,
} from './source.ts'

interface Dependencies {
  readonly kinds: SourceKinds
  readonly accounts: Pick<AccountStore, 'credentialsOf'>
  readonly egress: Egress
  readonly clock: () => number
}

/** Milliseconds for one request. The first response of a hypervisor can take long. */
const timeLimit = 20_000
const openLimit = 30_000
const maxThrottles = 10_000

const unknownKind = (provider: string) =>
  new PlatformError('InputParameterError', `No provider is named ${provider}.`)

/** Opens the sources of accounts, with one rate limit per account. */
export function createOpenSource({ kinds, accounts, egress, clock }: Dependencies) {
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

  const open = (
    kind: SourceKind,
    settings: SourceSettings,
    context: Pick<SourceContext, 'throttle' | 'accountId'>,
    signal: AbortSignal,
  ) =>
    kind.open(
      settings,
      { egress, clock, timeLimit, ...context },
      AbortSignal.any([signal, deadline(openLimit)]),
    )

  return {
    loadKind,
    /**
     * Reads of single servers have a rate limit of their own, so that they do not delay scans. A connection that a
     * kind shares between them has the limit of the purpose that opened it.
     */
    async openAccount(
      account: Account,
      signal: AbortSignal,
      purpose: 'scan' | 'get' = 'scan',
    ): Promise<Source> {
      const { address, options } = account
      const credentials = await accounts.credentialsOf(account.id)
      const settings = { address, options, credentials }
      const kind = await loadKind(account.provider)
      const throttle = throttleFor(`${purpose} ${account.id}`, kind)
      return await open(kind, settings, { throttle, accountId: account.id }, signal)
    },
    async openSettings(provider: string, settings: SourceSettings, signal: AbortSignal) {
      const kind = await loadKind(provider)
      const throttle = throttleFor(`${provider} ${settings.address}`, kind)
      return await open(kind, settings, { throttle }, signal)
    },
  }
}
export type OpenSource = ReturnType<typeof createOpenSource>
