import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editChanges, hasInstanceTypes, sizeChanges } from './changed-fields.ts'

describe('a resize', () => {
  const start = { vcpus: '2', memory: '4096', instanceType: 't3.large', forcesStop: false }

  it('sends only what changed', () => {
    assert.equal(sizeChanges(start, { ...start, forcesStop: true }), undefined)
    assert.deepEqual(sizeChanges(start, { ...start, vcpus: '4' }), { vcpu_count: 4 })
    assert.deepEqual(
      sizeChanges(start, { ...start, instanceType: ' m5.large ', forcesStop: true }),
      {
        instance_type: 'm5.large',
        force_stop: true,
      },
    )
  })

  it('sends nothing that is no number', () => {
    for (const memory of ['', '0', '-1', '1.5', 'x']) {
      assert.equal(sizeChanges(start, { ...start, vcpus: '4', memory }), undefined, memory)
    }
  })

  it('is by instance type in clouds, and by vCPUs and memory on hypervisors', () => {
    assert.equal(hasInstanceTypes({ cloud_env: 'public' }), true)
    assert.equal(hasInstanceTypes({ cloud_env: 'private' }), true)
    assert.equal(hasInstanceTypes({ cloud_env: 'onpremise' }), false)
  })
})

describe('an edit', () => {
  const start = { name: 'web', description: 'old', isProtected: false }

  it('sends only what changed', () => {
    assert.equal(editChanges(start, { ...start, name: ' web ' }), undefined)
    assert.deepEqual(editChanges(start, { name: 'db', description: '', isProtected: true }), {
      name: 'db',
      description: '',
      disable_delete: true,
    })
  })
})
