import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTransitional, statusTone } from './status.ts'

describe('the tone of a status', () => {
  const cases = {
    good: ['running'],
    idle: ['ready', 'suspend'],
    warn: ['unknown', 'something new', 'new_fail', '', 'constructor'],
    bad: [
      'sched_fail',
      'net_fail',
      'disk_fail',
      'deploy_fail',
      'start_fail',
      'stop_fail',
      'delete_fail',
    ],
    busy: [
      'init',
      'schedule',
      'network',
      'disk',
      'start_deploy',
      'deploying',
      'start_start',
      'starting',
    ],
  } as const
  for (const [tone, statuses] of Object.entries(cases)) {
    it(`is ${tone} for ${statuses.join(', ')}`, () => {
      assert.deepEqual(
        statuses.map(statusTone),
        statuses.map(() => tone),
      )
    })
  }

  it('is busy exactly for transitional statuses', () => {
    const settled = ['running', 'ready', 'suspend', 'unknown', 'start_fail', 'stop_fail']
    const moving = [
      'stopping',
      'resuming',
      'migrating',
      'resize_disk',
      'sync_config',
      'start_delete',
    ]
    assert.deepEqual(settled.filter(isTransitional), [])
    assert.deepEqual(moving.filter(isTransitional), moving)
    assert.deepEqual(
      moving.map(statusTone),
      moving.map(() => 'busy'),
    )
  })
})
