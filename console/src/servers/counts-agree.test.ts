import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { without } from '../filter/edit-query.ts'
import { countsAgree } from './counts-agree.ts'

const regions = { r1: 'RegionOne', r2: 'RegionOne', r3: 'eu' } as const
const server = fc.record({
  status: fc.constantFrom('running', 'stopping', 'ready'),
  os_type: fc.constantFrom('Linux', 'Windows', null),
  region_id: fc.constantFrom('r1', 'r2', 'r3'),
})
type Server = typeof server extends fc.Arbitrary<infer Value> ? Value : never

const group = (name: string, { status, os_type, region_id }: Server) =>
  name === 'status' ? status : name === 'os_type' ? os_type : regions[region_id]

const term = (name: string, values: readonly string[]) =>
  fc.option(
    fc.record({
      name: fc.constant(name),
      isNegated: fc.boolean(),
      values: fc.subarray([...values], { minLength: 1 }),
    }),
    { nil: undefined },
  )
const filters = fc
  .tuple(
    term('status', ['running', 'ready', 'unknown']),
    term('os', ['linux', 'Windows']),
    term('region', ['regionone', 'r1', 'r3', 'eu', 'none']),
  )
  .map((terms) => terms.filter((one) => one !== undefined))
type Filter = typeof filters extends fc.Arbitrary<readonly (infer Value)[]> ? Value : never

/** As the API filters: by name or id, without regard to case, and never by a negated null. */
function matches({ name, isNegated, values }: Filter, one: Server): boolean {
  const value = group(name === 'os' ? 'os_type' : name, one)
  if (value === null) return false
  const own = new Set([value.toLowerCase(), name === 'region' ? one.region_id : ''])
  return values.some((wanted) => own.has(wanted.toLowerCase())) !== isNegated
}

const count = (servers: readonly Server[], groups: readonly string[]) => ({
  generation: 1,
  total: servers.length,
  groups: Object.fromEntries(
    groups.map((name) => [
      name,
      [...Map.groupBy(servers, (one) => group(name, one))].map(([value, { length }]) => ({
        value,
        count: length,
      })),
    ]),
  ),
})

it('counts of one moment agree, whatever the filter', () => {
  fc.assert(
    fc.property(fc.array(server, { maxLength: 8 }), filters, fc.nat(8), (fleet, terms, loaded) => {
      const q = terms
        .map(({ name, isNegated, values }) => `${isNegated ? '-' : ''}${name}:${values.join(',')}`)
        .join(' ')
      const find = (some: readonly Filter[]) =>
        fleet.filter((one) => some.every((filter) => matches(filter, one)))
      const others = terms.map(({ name }) => {
        assert.ok(!without(q, name).includes(`${name}:`))
        const rest = terms.filter((filter) => filter.name !== name)
        return count(find(rest), [name === 'os' ? 'os_type' : name])
      })
      const rows = find(terms)
      const counts = [count(rows, ['status', 'os_type', 'region']), ...others]
      assert.ok(countsAgree(q, counts, rows.length, rows.slice(0, loaded)), q)
      assert.ok(!countsAgree(q, counts, rows.length + 1, rows))
    }),
    { numRuns: 1_000, seed: 26 },
  )
})

it('values that are not listed contradict nothing', () => {
  const values = Array.from({ length: 101 }, (_, at) => ({ value: `p${at}`, count: 1 }))
  const all = { generation: 1, total: 101, groups: { project: values } }
  const one = { value: 'rare', count: 1 }
  const first = { generation: 1, total: 1, groups: { project: [one] } }
  assert.ok(countsAgree('project:rare', [first, all], 1, []))
  const few = { generation: 1, total: 1, groups: { project: values.slice(0, 1) } }
  assert.ok(!countsAgree('project:rare', [first, few], 1, []))
  assert.ok(countsAgree('-project:p0', [{ ...all, total: 150 }, all], 150, []))
})

it('queries that the API reads otherwise than by exact names contradict nothing', () => {
  const all = [
    { status: 'running', os_type: 'Linux', region_id: 'r3' },
    { status: 'ready', os_type: 'Windows', region_id: 'r3' },
  ] as const
  for (const [q, name] of [
    ['-os:*', 'os_type'],
    ['status:running status:ready', 'status'],
    ['region:EU', 'region'],
  ] as const) {
    const counts = [count([], ['status', 'os_type', 'region']), count(all, [name])]
    assert.ok(countsAgree(q, counts, 0, []), q)
  }
})
