import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { failedAction } from './failed-action.ts'

const metadata = { 'sys:failed_task': '4f7c1a change-config' }

describe('the last action of a server', () => {
  it('is shown if it failed, until the server is deleted', () => {
    assert.equal(failedAction({ id: 'a', metadata }), 'change-config')
    assert.equal(failedAction({ id: 'a', metadata, deleted: true }), undefined)
    assert.equal(failedAction({ id: 'a', metadata: { 'user:failed_task': 'a b' } }), undefined)
    assert.equal(failedAction({ id: 'a' }), undefined)
  })
})
