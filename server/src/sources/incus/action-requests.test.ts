import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SourceCall, SourceRequest } from '../../domain/sources/action-port.ts'
import { isDone, planRequests, toChange } from './action-requests.ts'
import type { Instance } from './instance.ts'

const before: Instance = {
  project: 'default',
  name: 'old',
  uuid: 'u',
  isVirtualMachine: false,
  status: 'Running',
  location: 'none',
  architecture: '',
  description: '',
  createdAt: '',
  lastUsedAt: '2026-01-01T00:00:00Z',
  isEphemeral: false,
  profiles: [],
  config: {},
  devices: [],
}

/** What the daemon shows after a request. */
function carryOut(instance: Instance, { name, data = {} }: SourceRequest): Instance {
  if (name === 'update')
    return { ...instance, config: { ...instance.config, ...data } as Instance['config'] }
  if (name === 'rename') return { ...instance, name: String(data['name']) }
  if (name === 'restart') return { ...instance, lastUsedAt: '2026-01-02T00:00:00Z' }
  return name === 'stop' ? { ...instance, status: 'Stopped' } : instance
}

describe('the requests of an action at Incus', () => {
  test('are those that are left, and each shows when it is done', () => {
    const changes = { name: 'new', disable_delete: true }
    const expected: readonly (readonly [SourceCall, readonly string[]])[] = [
      [{ kind: 'update', changes }, ['update', 'rename']],
      [{ kind: 'resize', size: { vcpu_count: 2, vmem_size: 512 } }, ['update']],
      [{ kind: 'delete', disks: true, snapshots: true }, ['stop', 'delete']],
      [{ kind: 'reset', isHard: true }, ['restart']],
    ]
    for (const [call, names] of expected) {
      const planned = planRequests(call, before)
      assert.deepEqual(
        planned.map(({ name }) => name),
        names,
      )
      let shown = before
      for (const [done, request] of planned.entries()) {
        if (request.name === 'delete') continue
        assert.equal(isDone(request, shown), false, request.name)
        if (request.name === 'stop') {
          assert.equal(isDone(request, { ...shown, status: 'Stopping' }), false)
        }
        shown = carryOut(shown, request)
        assert.equal(isDone(request, shown), true, request.name)
        // A reset is always asked for anew.
        if (call.kind === 'reset') continue
        const left = planRequests(call, shown).map(({ name }) => name)
        assert.deepEqual(left, names.slice(done + 1))
      }
    }
  })

  test('an ephemeral instance is deleted by its stop', () => {
    const call: SourceCall = { kind: 'delete', disks: true, snapshots: true }
    const planned = planRequests(call, { ...before, isEphemeral: true })
    assert.deepEqual(
      planned.map(({ name }) => name),
      ['stop'],
    )
  })

  test('only a guest that is asked gets time', () => {
    const bodies = ([[true], [false], [false, 5], [false, 0]] as const).map((call) => {
      const [isForced, seconds = 60] = call
      const [stop] = planRequests({ kind: 'stop', isForced, seconds }, before)
      assert.ok(stop)
      const { body, patience } = toChange(stop, before)
      return [body?.['force'], body?.['timeout'], patience !== undefined]
    })
    assert.deepEqual(bodies, [
      [true, -1, false],
      [false, 60, true],
      [false, 5, true],
      [false, 1, true],
    ])
  })
})
