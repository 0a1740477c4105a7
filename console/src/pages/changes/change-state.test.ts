import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeKind } from '@muster/contract'
import { filterOfDay, readChangeState, toTimestamp, writeChangeState } from './change-state.ts'
import { readMoment } from '../../url/read-moment.ts'

const kinds: readonly ChangeKind[] = ['appeared', 'gone', 'status']
const read = (search: Readonly<Record<string, string>>) => readChangeState(search, kinds)

describe('the address of the Changes page', () => {
  it('has nothing for the defaults', () => {
    const state = read({})
    assert.deepEqual(state, {
      q: '',
      scope: 'max',
      kinds: [],
      newStatus: undefined,
      since: '-7d',
      until: undefined,
      open: [],
    })
    assert.deepEqual(writeChangeState(state), {})
  })

  it('is read as it was written', () => {
    const search = {
      q: 'status:running',
      scope: 'project',
      kind: 'appeared,status',
      new_status: 'stopped',
      since: '2026-05-01T00:00:00Z',
      until: '2026-05-04T00:00:00Z',
      open: '2026-05-03/p1,2026-05-03/p2',
    }
    assert.deepEqual(writeChangeState(read(search)), search)
  })

  it('is read without unknown kinds, scopes and statuses', () => {
    const { kinds, scope, newStatus } = read({
      kind: 'status,nonsense,status',
      scope: 'galaxy',
      new_status: 'ready',
    })
    assert.deepEqual(
      { kinds, scope, newStatus },
      { kinds: ['status'], scope: 'max', newStatus: undefined },
    )
  })
})

describe('the period', () => {
  const now = Date.parse('2026-05-04T10:20:30Z')

  it('understands times as the API does', () => {
    const text = (since: string) => {
      const time = readMoment(since, now)
      return time === undefined ? undefined : toTimestamp(time)
    }
    assert.equal(text('-24h'), '2026-05-03T10:20:00Z')
    assert.equal(text('-30m'), '2026-05-04T09:50:00Z')
    assert.equal(text('yesterday'), '2026-05-03T10:20:00Z')
    assert.equal(text('2026-05-01'), '2026-05-01T00:00:00Z')
    assert.equal(text('2026-05-01T02:00+02:00'), '2026-05-01T00:00:00Z')
    assert.equal(text('soon'), undefined)
  })

  it('limits a local day', () => {
    const noon = new Date(2026, 4, 4, 12).getTime()
    const local = (day: number, hour = 0) => toTimestamp(new Date(2026, 4, day, hour).getTime())
    const ofDay = (search: Readonly<Record<string, string>>, day: string) => {
      const { since, until } = filterOfDay(read(search), day, noon)
      return { since, until }
    }
    assert.deepEqual(ofDay({}, '2026-05-03'), { since: local(3), until: local(4) })
    assert.deepEqual(ofDay({ since: '-24h' }, '2026-05-03'), {
      since: local(3, 12),
      until: local(4),
    })
    assert.deepEqual(ofDay({ until: local(3, 6) }, '2026-05-03'), {
      since: local(3),
      until: local(3, 6),
    })
    assert.deepEqual(ofDay({ since: 'soon' }, '2026-05-03'), { since: local(3), until: local(4) })
  })
})
