import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountWarning, CloudAccount } from '@muster/contract'
import { createInventoryMetrics } from '../../metrics/inventory-metrics.ts'
import { freshSync, makeAccount } from '../../testing/inventory-world/in-memory-sync.ts'
import type { AttachedAccount } from './account.ts'
import { describeAccount } from './describe-account.ts'

type Kind = AccountWarning['kind']
const others = [
  'unreadable',
  'cut',
  'missing',
  'incomplete',
  'duplicate',
  'shared',
  'forbidden',
  'recycled',
] as const satisfies readonly Kind[]
const warningLists: readonly (readonly Kind[])[] = [
  [],
  ['region'],
  others,
  ['region', ...others],
  ...others.map((kind) => [kind]),
]

/** In this order, the first that applies, with the word of the metrics. */
const rules: readonly (readonly [
  CloudAccount['status'],
  string,
  (attached: AttachedAccount) => boolean,
])[] = [
  ['disabled', 'disabled', ({ account }) => !account.enabled],
  ['lost', 'unreachable', ({ sync }) => sync.is_unreachable],
  ['disconnected', 'failing', ({ sync }) => sync.failures > 0],
  ['degraded', 'degraded', ({ sync }) => sync.warnings.some(({ kind }) => kind === 'region')],
  ['connected', 'ok', ({ sync }) => sync.finished_at !== null],
  ['init', 'new', () => true],
]

test('the status of an account is the first that applies, in the API and in the metrics', () => {
  const found = new Set<string>()
  for (const enabled of [true, false]) {
    for (const is_unreachable of [true, false]) {
      for (const failures of [0, 1, 5]) {
        for (const kinds of warningLists) {
          for (const finished_at of [null, 1]) {
            const warnings = kinds.map((kind) => ({ kind, text: '', count: 1, until: null }))
            const attached = {
              account: makeAccount({ enabled }),
              sync: { ...freshSync, is_unreachable, failures, warnings, finished_at },
            }
            const about = JSON.stringify({ enabled, is_unreachable, failures, kinds, finished_at })
            const rule = rules.find(([, , applies]) => applies(attached))
            assert.equal(describeAccount(attached, 0, 0).status, rule?.[0], about)
            const metrics = createInventoryMetrics(() => ({ accounts: [attached] }) as never)
            const counts = [
              ...(metrics.find(({ name }) => name === 'muster_accounts')?.read() ?? []),
            ]
            const states = counts.filter(({ value }) => value > 0).map(({ labels }) => labels)
            assert.deepEqual(states, [{ state: rule?.[1] }], about)
            found.add(rule?.[0] ?? '')
          }
        }
      }
    }
  }
  assert.equal(found.size, rules.length)
})

test('an account that no node can run says so, whatever its last error was', () => {
  const [now, error] = [1_000, 'the last error']
  for (const enabled of [true, false]) {
    for (const hasKeys of [true, false]) {
      for (const leased_until of [0, now, now + 1]) {
        const attached = {
          account: makeAccount({ enabled }),
          sync: { ...freshSync, error, leased_until },
        }
        const shown = describeAccount(attached, 0, now, hasKeys).sync.error
        if (!enabled || hasKeys || leased_until > now) assert.equal(shown, error)
        else assert.match(shown, /lacks a secret key/)
      }
    }
  }
})
