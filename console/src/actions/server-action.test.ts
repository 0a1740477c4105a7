import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  actionName,
  apiAction,
  countActing,
  groupPreview,
  isDestructive,
  isTimeout,
  noOptions,
  paramsOf,
} from './server-action.ts'

describe('the request of an action', () => {
  it('has only the parameters that were chosen and that the action takes', () => {
    const all = {
      isForced: true,
      timeout: '30',
      skipsBin: true,
      deletesDisks: true,
      deletesSnapshots: true,
    }
    assert.deepEqual(paramsOf('stop', noOptions), {})
    assert.deepEqual(paramsOf('stop', all), { is_force: true, timeout_secs: 30 })
    assert.deepEqual(paramsOf('start', all), {})
    assert.deepEqual(paramsOf('reset', all), {})
    assert.deepEqual(paramsOf('delete', all), {
      override_pending_delete: true,
      is_force: true,
      delete_disks: true,
      delete_snapshots: true,
    })
    assert.deepEqual(paramsOf('delete', noOptions), {})
    assert.deepEqual(paramsOf('delete-now', noOptions), { override_pending_delete: true })
  })

  it('names a delete that skips the recycle bin', () => {
    assert.equal(apiAction('delete-now'), 'delete')
    assert.equal(actionName('delete', { override_pending_delete: true }), 'delete-now')
    assert.equal(actionName('delete', {}), 'delete')
    assert.equal(actionName('stop', { is_force: true }), 'stop')
  })

  it('accepts a timeout of up to a day', () => {
    for (const text of ['', '0', '86400']) assert.equal(isTimeout(text), true, text)
    for (const text of ['-1', '1.5', 'x', '86401', '1e3'])
      assert.equal(isTimeout(text), false, text)
  })
})

it('a forced stop is destructive, a stop is not', () => {
  const forced = { ...noOptions, isForced: true }
  assert.equal(isDestructive('stop', noOptions), false)
  assert.equal(isDestructive('stop', forced), true)
  assert.equal(isDestructive('start', forced), false)
  for (const name of ['reset', 'delete', 'delete-now', 'purge'] as const) {
    assert.equal(isDestructive(name, noOptions), true, name)
  }
})

describe('a preview', () => {
  const item = (server: string, outcome: 'act' | 'already' | 'refused', reason = '') => ({
    server_id: `id-${server}`,
    server,
    outcome,
    reason,
  })
  const items = [
    item('c', 'refused', 'No right.'),
    item('a', 'act'),
    item('d', 'refused', 'Server "d" is busy.'),
    item('e', 'refused', 'Server "e" is busy.'),
    item('b', 'already', 'It is stopped.'),
    item('f', 'act'),
  ]

  it('groups by outcome, then by reason without the name, most frequent first', () => {
    assert.deepEqual(groupPreview(items), [
      { outcome: 'act', reason: '', servers: ['a', 'f'] },
      { outcome: 'already', reason: 'It is stopped.', servers: ['b'] },
      { outcome: 'refused', reason: 'Server … is busy.', servers: ['d', 'e'] },
      { outcome: 'refused', reason: 'No right.', servers: ['c'] },
    ])
    assert.equal(countActing(items), 2)
  })

  it('shows the ID of a server whose name is not visible', () => {
    assert.deepEqual(groupPreview([item('', 'refused', 'Not found.')]), [
      { outcome: 'refused', reason: 'Not found.', servers: ['id-'] },
    ])
  })
})
