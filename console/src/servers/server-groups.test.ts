import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerStatistics } from '@muster/contract'
import { groupRows, isGroupRow, serversPerGroup, toServerGroups } from './server-groups.ts'

/** Statistics with servers of one vCPU and 1 GB. */
function statistics(counts: readonly (readonly [string | null, number])[]): ServerStatistics {
  const sums = (count: number) => ({ count, vcpu_count: count, vmem_size: 1024 * count, disk: 0 })
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const region = counts.map(([value, count]) => ({ value, ...sums(count) }))
  return { total: sums(total), groups: { region } }
}

const many = (count: number, others: number) =>
  statistics([
    ...Array.from({ length: 100 }, (_, at) => [`r${at}`, count] as const),
    ['other', others],
  ])

describe('groups of servers', () => {
  it('have the sums of the API, and how many of them run', () => {
    const all = statistics([
      ['east', 3],
      ['', 2],
    ])
    assert.deepEqual(toServerGroups('region', all, statistics([['east', 1]])), [
      {
        term: 'region:east',
        value: 'east',
        count: 3,
        vcpu_count: 3,
        vmem_size: 3072,
        running: 1,
      },
      { term: '-region:*', value: '', count: 2, vcpu_count: 2, vmem_size: 2048, running: 0 },
    ])
  })

  it('end with the sum of all others', () => {
    const others = toServerGroups('region', many(5, 7), many(4, 6)).at(-1)
    assert.equal(others?.term, undefined)
    assert.equal(others?.count, 7)
    assert.equal(others?.running, 6)
  })

  it('do not claim what the API does not list', () => {
    const [first, ...rest] = many(4, 6).groups['region'] ?? []
    assert.ok(first)
    const running = { ...many(4, 6), groups: { region: [{ ...first, value: 'new' }, ...rest] } }
    const groups = toServerGroups('region', many(5, 7), running)
    assert.equal(groups[0]?.running, undefined)
    assert.equal(groups[1]?.running, 4)
    assert.equal(groups.at(-1)?.running, undefined)
  })

  it('do not run more servers than they have', () => {
    const [group] = toServerGroups('region', statistics([['a', 1]]), statistics([['a', 2]]))
    assert.equal(group?.running, 1)
  })

  it('list their first servers, and lead to all of them', () => {
    const all = statistics([
      ['east', 30],
      ['west', 1],
    ])
    const groups = toServerGroups('region', all, all)
    const describeRows = (opened: Parameters<typeof groupRows>[1]) =>
      groupRows(groups, opened).map((row) =>
        row && isGroupRow(row) ? `${row.group.value} ${row.isOpen} ${row.isRest}` : row?.id,
      )
    assert.deepEqual(describeRows(new Map()), ['east false false', 'west false false'])
    const servers = Array.from({ length: serversPerGroup }, (_, at) => ({ id: `s${at}` }))
    assert.deepEqual(
      describeRows(
        new Map([
          ['region:east', servers],
          ['region:west', undefined],
        ]),
      ),
      [
        'east true false',
        ...servers.map(({ id }) => id),
        'east true true',
        'west true false',
        undefined,
      ],
    )
  })
})
