import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { makeAccount, makeSeen } from '../../testing/inventory-world/in-memory-sync.ts'
import { limitFacts, limitServer } from './limit-facts.ts'
import type { ReportedFacts } from './source.ts'
import { createToServerFacts } from './to-server-facts.ts'

const facts = (changes: object): ReportedFacts => ({ name: 'a', status: 'running', ...changes })
const long = 'x'.repeat(10 * 2 ** 20)

/** Every text in a value, keys too. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)])
}

describe('facts from a source', () => {
  test('are unchanged if they are within the limits', () => {
    const good = facts({
      vcpu_count: 4,
      is_gpu: true,
      expired_at: null,
      nics: [{ ip_addr: '10.0.0.1' }],
      tags: { Team: 'Büro 日志 🚀' },
      notes: {},
    })
    assert.deepEqual(limitFacts(good), good)
  })

  test('are truncated if a text has ten megabytes', () => {
    const bounded = limitFacts(
      facts({
        name: long,
        description: long,
        tags: { [long]: long },
        notes: { why: long },
        secgroups: [{ id: long, name: long }],
      }),
    )
    assert.ok(JSON.stringify(bounded).length < 40_000)
    assert.equal(bounded.name.length, 4_096)
    assert.equal(Object.keys(bounded.tags ?? {})[0]?.length, 256)
  })

  test('are truncated if a list has too many entries', () => {
    const nics = Array.from({ length: 10_000 }, () => ({ ip_addr: '10.0.0.1' }))
    const tags = Object.fromEntries(nics.map((_, number) => [`tag-${number}`, 'x']))
    const bounded = limitFacts(facts({ nics, tags }))
    assert.equal(bounded.nics?.length, 256)
    assert.equal(Object.keys(bounded.tags ?? {}).length, 256)
  })

  test('are cut in every part if the parts are within the limits, but not their sum', () => {
    const tags = Object.fromEntries(
      Array.from({ length: 200 }, (_, number) => [`tag-${number}`, 'x'.repeat(4_000)]),
    )
    const bounded = limitFacts(facts({ tags, description: 'y'.repeat(4_000) }))
    assert.ok(JSON.stringify(bounded).length < 2 ** 18)
    assert.equal(Object.keys(bounded.tags ?? {}).length, 64)
  })

  test('tell whether something was cut, and only then', () => {
    const isCut = (changes: object) => limitServer({ key: ['a'], facts: facts(changes) }).isCut
    const many = (length: number) => Array.from({ length }, (_, number) => String(number))
    const tagsOf = (length: number) => Object.fromEntries(many(length).map((key) => [key, '']))
    for (const [within, beyond] of [
      [{ description: 'x'.repeat(4_096) }, { description: 'x'.repeat(4_097) }],
      [{ boot_order: 'a\0b\uD83D', vcpu_count: -1, name: '' }, { name: 'x'.repeat(4_097) }],
      [{ nics: many(256).map((ip_addr) => ({ ip_addr })) }, { nics: many(257) }],
      [{ tags: tagsOf(256) }, { tags: tagsOf(257) }],
      [{ notes: { ['k'.repeat(256)]: '' } }, { notes: { ['k'.repeat(257)]: '' } }],
      [
        { tags: Object.fromEntries(many(60).map((key) => [key, 'x'.repeat(4_096)])) },
        { tags: Object.fromEntries(many(70).map((key) => [key, 'x'.repeat(4_096)])) },
      ],
    ] as const) {
      assert.deepEqual(
        [isCut(within), isCut(beyond)],
        [false, true],
        JSON.stringify(within).slice(0, 40),
      )
    }
  })

  test('lose NULs and unpaired surrogates', () => {
    const bounded = limitFacts(
      facts({ name: 'a\0b', description: 'half \uD83D', tags: { '\0': 'x', 'k\0': '\uDE80' } }),
    )
    assert.equal(bounded.name, 'ab')
    assert.equal(bounded.description, 'half \uFFFD')
    assert.deepEqual(bounded.tags, { k: '\uFFFD' })
  })

  test('have only non-negative integers as numbers', () => {
    const said = [Number.NaN, Infinity, -Infinity, -5, 2.7, 1e300]
    const heard = said.map((vcpu_count) => limitFacts(facts({ vcpu_count })).vcpu_count)
    assert.deepEqual(heard, [0, 0, 0, 0, 2, Number.MAX_SAFE_INTEGER])
  })

  test('have the external id as name if they have none', () => {
    assert.equal(limitFacts(facts({ name: '', external_id: 'i-1' })).name, 'i-1')
    assert.equal(limitFacts(facts({ name: '\0', external_id: 'i-1' })).name, 'i-1')
  })

  test('are limited together with the fields of the account and the tenant', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant('x'.repeat(100_000)),
      fc.constant('\0'),
      fc.constant('\uD800'.repeat(5_000)),
    )
    fc.assert(
      fc.property(anyText, anyText, anyText, (name, id, tag) => {
        const server = {
          ...makeSeen('a', { name, description: tag, tags: { [tag]: tag, __proto__: tag } }),
          tenant: { id, name },
        }
        const made = createToServerFacts(makeAccount())({
          id: 'a',
          server,
          projectId: 'ours',
          rule: -1,
        })
        for (const text of textsOf(made)) {
          assert.ok(text.length <= 4_096 && text.isWellFormed() && !text.includes('\0'))
        }
      }),
      { numRuns: 15 },
    )
  })
})
