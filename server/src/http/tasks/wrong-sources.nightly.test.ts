import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Server, Task } from '@muster/contract'
import { letAct, type ActingEc2, type Manner } from '../../testing/acting-ec2.ts'
import { startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { shortTaskLimits } from '../../testing/short-task-limits.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

interface Expected {
  readonly action: 'startServer' | 'restartServer' | 'deleteServer'
  readonly manner: Manner
  readonly status: Task['status']
  readonly error: RegExp
  /** What the server shows afterwards. */
  readonly shows: string
}

const refuses = (code: string, error: RegExp): Expected => ({
  action: 'startServer',
  manner: { refuses: code },
  status: 'failed',
  error,
  shows: 'ready',
})

const cases: Readonly<Record<string, Expected>> = {
  'never answers': {
    action: 'startServer',
    manner: 'hangs',
    status: 'failed',
    error: /StartInstances.*is still stopped/,
    shows: 'ready',
  },
  'says yes and does nothing': {
    action: 'startServer',
    manner: 'lies',
    status: 'failed',
    error: /did not complete it. The server is stopped/,
    shows: 'ready',
  },
  'acts without an answer': {
    action: 'startServer',
    manner: 'silent',
    status: 'succeeded',
    error: /^$/,
    shows: 'running',
  },
  'answers after the time limit': {
    action: 'startServer',
    manner: 'late',
    status: 'succeeded',
    error: /^$/,
    shows: 'running',
  },
  'closes the connection after the request': {
    action: 'startServer',
    manner: 'drops',
    status: 'succeeded',
    error: /^$/,
    shows: 'running',
  },
  'never answers a restart': {
    action: 'restartServer',
    manner: 'silent',
    status: 'unknown',
    error: /does not show whether it was done/,
    shows: 'running',
  },
  'answers a restart after the time limit': {
    action: 'restartServer',
    manner: 'late',
    status: 'unknown',
    error: /does not show whether it was done/,
    shows: 'running',
  },
  'refuses: conflict': refuses('IncorrectInstanceState', /busy or in a state/),
  'refuses: not-found': refuses('InvalidInstanceID.NotFound', /does not have the instance/),
  'refuses: unsupported': refuses('UnsupportedOperation', /not possible with this instance/),
  'refuses: denied': refuses('UnauthorizedOperation', /lacks the permission/),
  'refuses: quota': refuses('InstanceLimitExceeded', /limit of the AWS account/),
  'refuses: failed': refuses('InvalidSomething', /InvalidSomething/),
  'refuses: credentials': refuses('AuthFailure', /rejects|refuses|AuthFailure/),
}

const names = Object.keys(cases)
const idOf = (name: string) => `i-${String(names.indexOf(name)).padStart(17, '0')}`

onPostgresFirst('sources that misbehave while a task runs', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let ec2: FakeEc2
  let acting: ActingEc2
  let accountId: string
  let servers: ReadonlyMap<string, Server>
  let ended: ReadonlyMap<string, Task>

  const end = (id: string) =>
    eventually<Task>(`task ${id} ends`, async () => {
      const { task } = await at.admin.get<{ task: Task }>('getTask', { path: { id } })
      return task.finished_at === null ? undefined : task
    })
  const serverOf = (name: string) => {
    const server = servers.get(idOf(name))
    assert.ok(server, `no server for "${name}"`)
    return server
  }
  const arrivedAt = (id: string) => acting.received.filter((one) => one.id === id)
  const actOn = async (action: Expected['action'], id: string) => {
    const body = action === 'deleteServer' ? {} : { body: { server: {} } }
    const answer = await at.admin.call(action, { path: { id }, ...body })
    assert.equal(answer.status, 200, answer.text)
    return answer.headers.get('x-task-id') ?? 'none'
  }

  before(async () => {
    at = await startAttached(lifetime, engine, {
      flags: ['--source-allow=127.0.0.1', '--task-timeout=12s'],
      taskLimits: shortTaskLimits,
    })
    ec2 = await startFakeEc2(lifetime)
    acting = letAct(ec2, {
      delay: 100,
      latency: () => 0,
      lateAfter: shortTaskLimits.callLimit + 500,
    })
    for (const [name, { action, manner }] of Object.entries(cases)) {
      const state = action === 'restartServer' ? 'running' : 'stopped'
      ec2.instances.set(idOf(name), { name, state })
      acting.manners.set(idOf(name), manner)
    }
    const account = await at.attachEc2(ec2, { access: 'manage', max_actions: 50 })
    accountId = account.id
    servers = new Map((await at.servers(account)).map((one) => [one.external_id, one]))
    const tasks = await Promise.all(
      names.map(async (name) => {
        const id = await actOn((cases[name] as Expected).action, serverOf(name).id)
        return [name, await end(id)] as const
      }),
    )
    ended = new Map(tasks)
  })

  for (const [name, { status, error, shows }] of Object.entries(cases)) {
    test(name, async () => {
      const task = ended.get(name)
      assert.ok(task)
      assert.equal(task.status, status, task.error)
      assert.match(task.error, error)
      const server = await at.server(serverOf(name).id)
      assert.ok(server)
      assert.equal(server.status, shows)
      assert.equal(server.metadata['sys:task_id'], undefined)
      const isRetried = name === 'refuses: credentials'
      if (!isRetried) assert.equal(arrivedAt(idOf(name)).length, 1, 'the request was sent once')
      const note = status === 'succeeded' ? undefined : `${task.id} ${task.action}`
      assert.equal(server.metadata['sys:failed_task'], note)
    })
  }

  test('a failure is noted until an action succeeds', async () => {
    await at.sync(accountId)
    const name = 'refuses: conflict'
    const noteOf = async () => (await at.server(serverOf(name).id))?.metadata['sys:failed_task']
    assert.match((await noteOf()) ?? '', / start$/)
    acting.manners.set(idOf(name), 'honest')
    const task = await end(await actOn('startServer', serverOf(name).id))
    assert.equal(task.status, 'succeeded', task.error)
    assert.equal(await noteOf(), undefined)
  })

  const addServer = async (number: number, state: string, manner: Manner = 'honest') => {
    const id = `i-${String(number).padStart(17, '1')}`
    ec2.instances.set(id, { name: id, state })
    acting.manners.set(id, manner)
    await at.sync(accountId)
    const found = (await at.servers({ id: accountId })).find((one) => one.external_id === id)
    assert.ok(found)
    return found
  }

  /** While the condition holds, the source closes every connection. */
  async function endDuring(isAway: () => boolean, act: () => Promise<string>): Promise<Task> {
    const usual = ec2.misbehave
    ec2.misbehave = (request, response) => {
      if (!isAway()) return usual?.(request, response) ?? false
      response.socket?.destroy()
      return true
    }
    try {
      return await end(await act())
    } finally {
      ec2.misbehave = usual
    }
  }

  test('a source that cannot be reached before the request: failed, and nothing is sent', async () => {
    const server = await addServer(1, 'stopped')
    const task = await endDuring(
      () => true,
      () => actOn('startServer', server.id),
    )
    assert.equal(task.status, 'failed', task.error)
    assert.match(task.error, /could not be read before the action/)
    assert.deepEqual(arrivedAt(server.external_id), [])
    assert.equal(task.error_class, 'not_reached')
  })

  test('a source that cannot be reached after the request: unknown', async () => {
    const server = await addServer(2, 'stopped', 'drops')
    const task = await endDuring(
      () => arrivedAt(server.external_id).length > 0,
      () => actOn('startServer', server.id),
    )
    assert.equal(task.status, 'unknown', task.error)
    assert.match(task.error, /was sent, but the server can no longer be read/)
    assert.equal(task.error_class, 'time_limit')
    assert.equal(arrivedAt(server.external_id).length, 1)
  })
})
