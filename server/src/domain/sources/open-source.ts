import { LRUCache } from 'lru-cache'
import { PlatformError } from '../error.ts'
import type { Account } from './account.ts'
import { deadline } from './deadline.ts'
import { createPace } from './pace.ts'
import type { AccountStore } from './ports.ts'
import type { Outlet, Source, SourceKind, SourceSettings, SourceWorld } from './source.ts'

interface Dependencies {
  readonly kinds: readonly SourceKind[]
  readonly accounts: Pick<AccountStore, 'credentialsOf'>
  readonly outlet: Outlet
  readonly clock: () => number
}

/** Milliseconds that one request to a source may take; a hypervisor's first answer takes its time. */
const timeLimit = 20_000
const openLimit = 30_000
const mostPaces = 10_000

const unknownKind = (provider: string) =>
  new PlatformError('InputParameterError', `There is no kind of source called ${provider}.`)

/** Opens sources, each kind in its own way, and each account at its own pace. */
export function createOpenSource({ kinds, accounts, outlet, clock }: Dependencies) {
  const paces = new LRUCache<string, SourceWorld['pace']>({ max: mostPaces })

  function kindOf(provider: string): SourceKind {
    const kind = kinds.find((known) => known.provider === provider)
    if (!kind) throw unknownKind(provider)
    return kind
  }

  function paceOf(name: string, kind: SourceKind): SourceWorld['pace'] {
    const pace = paces.get(name) ?? createPace(kind.requestsPerSecond)
    paces.set(name, pace)
    return pace
  }

  const open = (
    kind: SourceKind,
    settings: SourceSettings,
    world: Pick<SourceWorld, 'pace' | 'accountId'>,
    signal: AbortSignal,
  ) =>
    kind.open(
      settings,
      { outlet, clock, timeLimit, ...world },
      AbortSignal.any([signal, deadline(openLimit)]),
    )

  return {
    kindOf,
    /** Looks at single servers have a pace of their own: however many ask, scans do not wait for them. */
    async openAccount(
      account: Account,
      signal: AbortSignal,
      purpose: 'scan' | 'look' = 'scan',
    ): Promise<Source> {
      const { address, options } = account
      const credentials = await accounts.credentialsOf(account.id)
      const settings = { address, options, credentials }
      const kind = kindOf(account.provider)
      const pace = paceOf(`${purpose} ${account.id}`, kind)
      return await open(kind, settings, { pace, accountId: account.id }, signal)
    },
    async openSettings(provider: string, settings: SourceSettings, signal: AbortSignal) {
      const kind = kindOf(provider)
      const pace = paceOf(`${provider} ${settings.address}`, kind)
      return await open(kind, settings, { pace }, signal)
    },
  }
}
export type OpenSource = ReturnType<typeof createOpenSource>
