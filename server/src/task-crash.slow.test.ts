import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from 'node:sqlite'
import type { Server, Task } from '@muster/contract'
import pg from 'pg'
import { derivedId } from './domain/sources/derived-id.ts'
import { letAct } from './testing/acting-ec2.ts'
import { domainStates, letDomainsAct } from './testing/acting-libvirt.ts'
import { loginAdmin } from './testing/client.ts'
import { createTestDatabase, type Engine } from './testing/engines.ts'
import { startFakeEc2 } from './testing/fake-ec2.ts'
import { startFakeLibvirt } from './testing/fake-libvirt.ts'
import {
  accept,
  addInstances,
  checkDomain,
  checkHistory,
  checkInstance,
  checkSimulated,
  domainsFor,
  planActions,
  type Planned,
} from './testing/inventory-world/crash-tasks.ts'
import { operate } from './testing/inventory-world/operate-muster.ts'
import { isNightly, onPostgresFirst } from './testing/lanes.ts'
import { shortTaskLimits } from './testing/short-task-limits.ts'
import { spawnMuster, temporaryFolder, type Muster } from './testing/spawn-muster.ts'
import { adminPassword } from './testing/start-platform.ts'

const [kills, actions] = isNightly ? [200, 200] : [4, 9]
/** The time limit of a task in seconds. Tasks of a dishonest source use all of it. */
const taskTimeout = 30
/** Of one run of a process after the first request, in milliseconds. */
const longestRun = 1_600
const script = fileURLToPath(new URL('testing/muster-process.ts', import.meta.url))

interface Storage {
  readonly folder: string
  readonly databaseUrl: string | undefined
}

const start = (t: TestContext, { folder, databaseUrl }: Storage) =>
  spawnMuster(t, {
    command: [process.execPath, script],
    flags: [
      `--data-dir=${folder}/data`,
      `--secret-key-file=${folder}/secret.key`,
      '--source-allow=127.0.0.1',
      '--log-level=warn',
      `--task-timeout=${taskTimeout}s`,
      ...(databaseUrl === undefined ? [] : [`--database-url=${databaseUrl}`]),
    ],
    environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
  })

/** The number of requests by simulated server: the simulator stores them in the database. */
async function simulatedCalls({ folder, databaseUrl }: Storage, accountId: string) {
  const query = 'select key, value from source_state where account_id ='
  const rows = await (async () => {
    if (databaseUrl === undefined) {
      const database = new DatabaseSync(`${folder}/data/muster.db`, { readOnly: true })
      const found = database.prepare(`${query} ?`).all(accountId)
      database.close()
      return found
    }
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const found = await client.query<Record<string, unknown>>(`${query} $1`, [accountId])
    await client.end()
    return found.rows
  })()
  // A key is the seed and the number of the server.
  return new Map(
    rows
      .filter(({ key }) => key !== '')
      .map(({ key, value }) => [
        derivedId('server', 'simulator', ...String(key).split(' ')),
        (JSON.parse(String(value)) as { calls: number }).calls,
      ]),
  )
}

async function crash(t: TestContext, engine: Engine) {
  const storage: Storage = {
    folder: temporaryFolder(t),
    databaseUrl: engine === 'postgres' ? await createTestDatabase('migrated') : undefined,
  }
  const ec2 = await startFakeEc2(t)
  const acting = letAct(ec2, {
    delay: 300,
    latency: () => Math.random() * 200,
    lateAfter: shortTaskLimits.callLimit + 1_000,
  })
  addInstances(ec2, acting, Math.ceil(actions / 3))
  const libvirt = await startFakeLibvirt(t, { domains: domainsFor(Math.ceil(actions / 3)) })
  const domains = letDomainsAct(libvirt, 300)

  /** On PostgreSQL the other one takes over. */
  const nodes: Muster[] = [await start(t, storage)]
  if (engine === 'postgres') nodes.push(await start(t, storage))
  const anyNode = () => Math.floor(Math.random() * nodes.length)
  const nodeAt = (at: number) => nodes[at] as Muster
  const token = await loginAdmin(nodeAt(0).authUrl)
  const operator = () => operate(nodeAt(0), token)
  const managed = { access: 'manage', period: 3_600 }
  const options = { servers: 600, seed: 7, action_delay: 300, action_failures: 5, action_hangs: 5 }
  const accounts = {
    ec2: await operator().attach({ name: 'EC2', provider: 'Aws', ...ec2.settings, ...managed }),
    libvirt: await operator().attach({
      name: 'libvirt',
      provider: 'OneCloud',
      address: libvirt.address,
      ...managed,
    }),
    simulator: await operator().attach({
      name: 'simulated',
      provider: 'Simulator',
      options,
      ...managed,
    }),
  }
  for (const id of Object.values(accounts)) await operator().finished(id)
  const wanted = planActions(await operator().servers(), accounts, actions)
  const unsent = [...wanted]

  /** The process may be killed meanwhile: then the next one gets the same request. */
  async function acceptNext(count: number): Promise<void> {
    const some = unsent.splice(0, count)
    const lost = await Promise.all(
      some.map(async (one) => {
        const error: unknown = await accept(nodeAt(anyNode()), token, one).catch(
          (reason: unknown) => reason,
        )
        if (error instanceof assert.AssertionError) throw error
        return error === undefined ? [] : [one]
      }),
    )
    unsent.unshift(...lost.flat())
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const accepting = acceptNext(Math.ceil(actions / kills))
    // Early moments more often: that is when tasks are accepted and sent.
    await pause(Math.random() ** 2 * longestRun)
    const at = anyNode()
    await nodeAt(at).end('SIGKILL')
    await accepting
    nodes[at] = await start(t, storage)
  }
  while (unsent.length > 0) {
    await acceptNext(unsent.length)
    await pause(100)
  }

  const plan = wanted.filter(({ taskId }) => taskId !== undefined)
  assert.ok(plan.length > 0.8 * wanted.length, 'too many simulated servers changed by themselves')
  const taskOf = async ({ taskId }: Planned) =>
    (await operator().request<{ task: Task }>(`/tasks/${taskId}?scope=max`)).task
  const ended: Task[] = []
  for (const one of plan) {
    const task = await eventually<Task>(
      `${one.name} ends`,
      async () => {
        const now = await taskOf(one)
        return now.finished_at === null ? undefined : now
      },
      { deadline: 180 },
    )
    ended.push(task)
  }
  return { storage, acting, domains, accounts, operator, plan, ended }
}

type Crashed = Awaited<ReturnType<typeof crash>>

const stateOf: Readonly<Record<string, string>> = { running: 'running', stopped: 'ready' }
const statusOf: Readonly<Record<number, string>> = {
  [domainStates.running]: 'running',
  [domainStates.paused]: 'suspend',
  [domainStates.off]: 'ready',
}

async function checkServers(t: TestContext, crashed: Crashed): Promise<void> {
  const { acting, domains, accounts, operator, plan, ended } = crashed
  for (const id of Object.values(accounts)) {
    const { sync } = await operator().show(id)
    await operator().request(`/cloudaccounts/${id}/sync`, 'POST')
    await operator().finished(id, sync.finished_at ?? '')
  }
  for (const [at, one] of plan.entries()) {
    const task = ended[at] as Task
    const { server } = await operator().request<{ server: Server }>(
      `/servers/${one.serverId}?scope=max`,
    )
    assert.equal(server.metadata['sys:task_id'], undefined, `${one.name} still shows its task`)
    await checkHistory(operator(), one, task)
    if (task.account_id === accounts.libvirt) {
      checkDomain(domains, one, task)
      const last = domains.shown.get(one.externalId)?.at(-1)?.state
      if (last === domainStates.gone) assert.equal(server.deleted, true, one.name)
      else if (last !== undefined) assert.equal(server.status, statusOf[last], one.name)
    }
    if (task.account_id !== accounts.ec2) continue
    checkInstance(acting, one, task)
    const last = acting.shown.get(one.externalId)?.at(-1)?.state ?? one.request.from
    if (last === 'terminated') assert.equal(server.deleted, true, one.name)
    else assert.equal(server.status, stateOf[last], `${one.name}: ${task.status} ${task.error}`)
  }
  const counts = Map.groupBy(ended, ({ status }) => status)
  t.diagnostic(
    `${kills} kills, ${actions} tasks: ${[...counts].map(([status, some]) => `${some.length} ${status}`).join(', ')}; ${acting.received.length} requests at EC2, ${domains.received.length} at libvirt`,
  )
  assert.ok((counts.get('succeeded')?.length ?? 0) > actions / 3, 'too few tasks succeeded')
}

onPostgresFirst('tasks of processes that are killed', (engine) => {
  test('REL: none is lost, sent twice or told wrongly', async (t) => {
    const crashed = await crash(t, engine)
    await checkServers(t, crashed)
    const { storage, accounts, plan, ended } = crashed
    const calls = await simulatedCalls(storage, accounts.simulator)
    for (const [at, one] of plan.entries()) {
      const task = ended[at] as Task
      if (task.account_id !== accounts.simulator) continue
      checkSimulated(calls.get(one.serverId) ?? 0, one, task)
    }
  })
})
