import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SourceCall } from '../../domain/sources/action-port.ts'
import type { Json } from '../shared/json.ts'
import { isDone, planRequests, toChange, type LocatedServer } from './action-requests.ts'
import type { ServiceClient } from './service-client.ts'

const { signal } = new AbortController()

/** A server of a Nova that has recorded these requests, newest first. */
function locate(server: Json, instanceActions: readonly Json[] = []): LocatedServer {
  const response = { status: 200, headers: {}, host: 'nova', json: { instanceActions }, bytes: 0 }
  const client = { send: async () => response } as unknown as ServiceClient
  const compute = { client, microversion: '2.93', seesAllProjects: false }
  return { compute, server: { id: 's', name: 'old', ...server } }
}

const restart: SourceCall = { kind: 'restart', isForced: false }
const created = { action: 'create', request_id: 'req-1' }
const reboot = { action: 'reboot', request_id: 'req-2' }

describe('the requests of an action at Nova', () => {
  test('are those that are left', async () => {
    const changes = { name: 'new', disable_delete: false }
    const expected = [
      [{ locked: true }, ['unlock', 'rename']],
      [{ locked: false }, ['rename']],
      [{ locked: false, name: 'new' }, []],
    ] as const
    for (const [server, names] of expected) {
      const planned = await planRequests({ kind: 'update', changes }, locate(server), signal)
      assert.deepEqual(
        planned.map(({ name }) => name),
        names,
      )
    }
  })

  test('a reboot is proven by the record of Nova, and only by one after it', async () => {
    const [request] = await planRequests(restart, locate({}, [created]), signal)
    assert.ok(request)
    assert.deepEqual(toChange(request, locate({})).body, { reboot: { type: 'SOFT' } })
    const cases = [
      [{}, [created], false],
      [{}, [{ action: 'stop', request_id: 'req-2' }, created], false],
      [{}, [reboot, created], true],
      [{}, [{ ...reboot, message: 'Error' }, created], false],
      [{ 'OS-EXT-STS:task_state': 'rebooting' }, [reboot, created], false],
      // The record is gone.
      [{}, [reboot], undefined],
    ] as const
    for (const [server, history, expected] of cases)
      assert.equal(await isDone(request, locate(server, history), signal), expected)
    const [next] = await planRequests(restart, locate({}, [reboot, created]), signal)
    assert.ok(next)
    assert.equal(await isDone(next, locate({}, [reboot, created]), signal), false)
  })
})
