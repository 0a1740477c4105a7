import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerChange, ServerChangeStatistics } from '@muster/contract'
import { daysOf, isThroughMuster, projectRows } from './group-counts.ts'

const counted = (groups: ServerChangeStatistics['groups']): ServerChangeStatistics => ({
  total: 0,
  groups,
  is_complete: true,
  counted_since: null,
})

describe('counts of changes', () => {
  const days = [
    { values: { day: '2026-05-01' }, count: 3 },
    { values: { day: '2026-05-04' }, count: 7 },
  ]
  const since = new Date(2026, 3, 29, 12).getTime()

  it('are grouped by day, newest first', () => {
    assert.deepEqual(daysOf(counted(days), since), [
      { date: '2026-05-04', count: 7 },
      { date: '2026-05-01', count: 3 },
    ])
  })

  it('have every earlier day of the period if not all were counted', () => {
    const oldest = new Date(2026, 4, 1, 9).toISOString()
    const some = { ...counted(days), is_complete: false, counted_since: oldest }
    assert.deepEqual(daysOf(some, since), [
      { date: '2026-05-04', count: 7 },
      { date: '2026-05-01', count: undefined },
      { date: '2026-04-30', count: undefined },
      { date: '2026-04-29', count: undefined },
    ])
    assert.equal(daysOf(some, undefined).length, 2)
  })

  it('are grouped by project, by name, and in the order of the kinds', () => {
    const groups = [
      { values: { project: 'db', kind: 'gone' }, count: 1 },
      { values: { project: 'web', kind: 'status' }, count: 9 },
      { values: { project: 'web', kind: 'appeared' }, count: 2 },
      { values: { project: 'idle', kind: 'tag' }, count: 4 },
    ]
    const names: Readonly<Record<string, string>> = { web: 'a web', db: 'the database' }
    const nameOf = (id: string) => names[id] ?? id
    assert.deepEqual(projectRows(counted(groups), ['appeared', 'gone', 'status'], nameOf), [
      {
        id: 'web',
        counts: [
          { kind: 'appeared', count: 2 },
          { kind: 'status', count: 9 },
        ],
      },
      { id: 'db', counts: [{ kind: 'gone', count: 1 }] },
    ])
  })

  it('tell what was done through Muster', () => {
    const change = { request_id: '', task_id: '' } as ServerChange
    assert.equal(isThroughMuster(change), false)
    assert.equal(isThroughMuster({ ...change, request_id: 'r' }), true)
    assert.equal(isThroughMuster({ ...change, task_id: 't' }), true)
  })
})
