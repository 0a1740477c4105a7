import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server, Task } from '@muster/contract'
import { letAct } from '../../server/src/testing/acting-ec2.ts'
import { ask, loginAdmin, requestToken, tokenIdentity } from '../../server/src/testing/client.ts'
import type { Engine } from '../../server/src/testing/engines.ts'
import { startFakeEc2 } from '../../server/src/testing/fake-ec2.ts'
import { operate } from '../../server/src/testing/inventory-world/operate-muster.ts'
import { runAdminCommand } from '../../server/src/testing/run-admin-command.ts'
import { fillDisk, mountSmallDisk } from '../../server/src/testing/small-disk.ts'
import {
  spawnMuster,
  temporaryFolder,
  type Lifetime,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { adminPassword } from '../../server/src/testing/start-platform.ts'
import { startPostgres } from '../postgres.ts'

/** Instances that the load stops and starts. */
const busyInstances = ['i-0000000000000001', 'i-0000000000000002']
/** In MiB. PostgreSQL needs more at its start. */
const diskSize = { sqlite: 64, postgres: 320 }

/** Receives the audit events. */
async function startReceiver(lifetime: Lifetime) {
  const receiver = {
    received: [] as string[],
    isFailing: false,
    port: 0,
  }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (!receiver.isFailing) receiver.received.push(body)
    response.writeHead(receiver.isFailing ? 500 : 204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.port = (server.address() as AddressInfo).port
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

/**
 * Muster as an installation runs it: one process on SQLite or two on PostgreSQL, with a source, a
 * receiver of events, and clients that scan, act, export and log in all the time.
 */
export async function startRunningMuster(lifetime: Lifetime, engine: Engine) {
  const disk = mountSmallDisk(lifetime, diskSize[engine], '0755')
  const folder = temporaryFolder(lifetime)
  const postgres = engine === 'postgres' ? await startPostgres({ parent: disk }) : undefined
  lifetime.after(() => postgres?.stop())
  const ec2 = await startFakeEc2(lifetime)
  const acting = letAct(ec2, { delay: 200, latency: () => 20, lateAfter: 0 })
  for (const id of busyInstances) ec2.instances.set(id, { name: id })
  const receiver = await startReceiver(lifetime)
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

  const names = postgres ? ['one', 'two'] : ['one']
  const places = names.map((name) => ({
    name,
    folder: join(postgres ? folder : disk, name),
    config: join(folder, `${name}.toml`),
    accessLog: join(folder, `${name}.log`),
    databaseUrl: postgres?.url,
  }))
  type Place = (typeof places)[number]
  const keyFile = (place: Place) => join(place.folder, 'secret.key')
  const settings = (place: Place, lines: readonly string[] = ['log_level = "info"']) =>
    writeFileSync(place.config, [`access_log_file = "${place.accessLog}"`, ...lines, ''].join('\n'))
  const start = (place: Place) =>
    spawnMuster(lifetime, {
      flags: [
        `--config=${place.config}`,
        `--data-dir=${join(place.folder, 'data')}`,
        `--secret-key-file=${keyFile(place)}`,
        '--source-allow=127.0.0.1',
        `--events-webhook=http://127.0.0.1:${receiver.port}/`,
        ...(place.databaseUrl === undefined ? [] : [`--database-url=${place.databaseUrl}`]),
      ],
      environment: {
        MUSTER_ADMIN_PASSWORD: adminPassword,
        MUSTER_EVENTS_WEBHOOK_SECRET: secret,
      },
    })
  const nodes: Muster[] = []
  const [first] = places as [Place]
  for (const place of places) {
    mkdirSync(place.folder)
    settings(place)
    if (place !== first) copyFileSync(keyFile(first), keyFile(place))
    nodes.push(await start(place))
  }
  const nodeAt = (at: number) => nodes[at] as Muster

  let token = await loginAdmin(nodeAt(0).authUrl)
  const operator = (at = 0) => operate(nodeAt(at), token)
  const accountId = await operator().attach({
    name: 'cloud',
    provider: 'Aws',
    ...ec2.settings,
    access: 'manage',
    period: 3_600,
  })
  await operator().finished(accountId)
  const serverNamed = async (name: string, at = 0): Promise<Server | undefined> =>
    (await operator(at).request<{ servers: Server[] }>(`/servers?scope=max&name=${name}&limit=1`))
      .servers[0]
  const isEnded = ({ status }: Task) => !['queued', 'running'].includes(status)

  /** Answers that no operation may lead to, and those that a fault may. */
  const wrong: string[] = []
  const unavailable: string[] = []
  let countedSince = 0
  const accepted: { readonly id: string; readonly server: string; readonly action: string }[] = []
  const expected = new Set([200, 202, 409, 429])

  /** A client goes on after an error: the process may be stopped. */
  async function send(path: string, body?: object, at = Math.floor(Math.random() * nodes.length)) {
    const used = token
    const options = body ? { method: 'POST', token, body } : { token }
    const answer = await ask(nodeAt(at).baseUrl, path, options).catch(() => undefined)
    const isEndedToken = answer?.status === 401 && used !== token
    if (answer && !expected.has(answer.status) && !isEndedToken) {
      const list = answer.status === 503 ? unavailable : wrong
      list.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    return answer
  }

  const clients: Readonly<Record<string, () => Promise<unknown>>> = {
    scans: () => send(`/cloudaccounts/${accountId}/sync`, {}),
    exports: async () => {
      await send('/events?format=csv')
      await send('/servers?format=csv&scope=max')
    },
    logins: async () => {
      const at = Math.floor(Math.random() * nodes.length)
      const identity = tokenIdentity(token)
      await requestToken(nodeAt(at).authUrl, { identity }).catch(() => {})
    },
    ...Object.fromEntries(
      busyInstances.map((name) => [
        `actions on ${name}`,
        async () => {
          const server = await serverNamed(name).catch(() => undefined)
          const action = server?.status === 'running' ? 'stop' : 'start'
          if (!server || !['running', 'ready'].includes(server.status)) return
          const answer = await send(`/servers/${server.id}/${action}`, { server: {} })
          const id = answer?.headers.get('x-task-id') ?? undefined
          if (id !== undefined) accepted.push({ id, server: name, action })
        },
      ]),
    ),
  }

  /** Runs the clients until it is ended. */
  function startLoad() {
    const ending = new AbortController()
    const running = Object.values(clients).map(async (work) => {
      while (!ending.signal.aborted) {
        await work()
        await pause(150)
      }
    })
    return {
      async end(): Promise<void> {
        ending.abort()
        await Promise.all(running)
      },
    }
  }

  /** What a node must do after any operation, without a restart. */
  async function checkNode(at: number): Promise<void> {
    const place = places[at] as Place
    const node = nodeAt(at)
    const mark = randomUUID().slice(0, 8)
    const on = (what: string) => `${what} on node ${place.name}\n${node.stderr().slice(-1_500)}`
    await eventually(on('ready'), async () => (await ask(node.baseUrl, '/readyz')).status === 200, {
      deadline: 30,
    })
    token = await eventually(on('a login'), () => loginAdmin(node.authUrl).catch(() => false), {
      deadline: 30,
    })
    await operator(at).request('/v3/projects', 'POST', { project: { name: `made-${mark}` } })
    await eventually(
      on('a delivery'),
      () => receiver.received.some((body) => body.includes(`made-${mark}`)),
      { deadline: 40 },
    )
    const exported = await ask(node.baseUrl, '/events?format=csv', { token })
    assert.ok(exported.text.includes(`made-${mark}`), on('an export'))

    const instance = `i-${mark}`
    ec2.instances.set(instance, { name: instance })
    const server = await eventually(
      on('a scan'),
      async () => {
        await operator(at).request(`/cloudaccounts/${accountId}/sync`, 'POST')
        await pause(300)
        return await serverNamed(instance, at)
      },
      { deadline: 40 },
    )
    const taskId = await eventually<string>(
      on('an action is accepted'),
      async () => {
        const answer = await send(`/servers/${server.id}/stop`, { server: {} }, at)
        return answer?.headers.get('x-task-id') ?? false
      },
      { deadline: 30 },
    )
    const ended = await eventually<Task>(
      on('the end of an action'),
      async () => {
        const now = (await operator(at).request<{ task: Task }>(`/tasks/${taskId}?scope=max`)).task
        return isEnded(now) && now
      },
      { deadline: 60 },
    )
    assert.deepEqual([ended.status, ended.error], ['succeeded', ''], on('an action'))
    const account = await operator(at).show(accountId)
    assert.deepEqual([account.status, account.sync.error], ['connected', ''], on('the account'))
    const { status, stdout } = await runAdmin(at, 'check')
    assert.equal(status, 0, on(stdout))
  }

  const runAdmin = (at: number, ...args: string[]) => runAdminCommand(places[at] as Place, ...args)

  return {
    engine,
    postgres,
    receiver,
    nodes,
    places,
    folder,
    settings,
    keyFile,
    runAdmin,
    operator,
    accountId,
    fillDisk: () => fillDisk(disk),
    /** A file that was replaced by a copy of another node's. */
    copyKeyFile(to: number): void {
      const [from, place] = [places[0] as Place, places[to] as Place]
      copyFileSync(keyFile(from), `${keyFile(place)}.new`)
      renameSync(`${keyFile(place)}.new`, keyFile(place))
    },
    /** The end of a rotation waits for requests that began before the last change of the file. */
    ageKeyFile: () => utimesSync(keyFile(first), 0, 0),
    /** Starts a node that has ended. */
    async startNode(at: number): Promise<void> {
      nodes[at] = await start(places[at] as Place)
    },
    startLoad,
    /** A restore ends all tokens, so the clients get 401. Tasks that came after the backup are gone. */
    async noteRestored(): Promise<void> {
      token = await loginAdmin(nodeAt(0).authUrl)
      wrong.splice(0)
      accepted.splice(0)
      countedSince = Date.now()
    },
    /** Checks each node, and what the clients got and did. */
    async check(isFault: boolean): Promise<void> {
      assert.deepEqual(wrong.splice(0), [], 'wrong answers')
      const refused = unavailable.splice(0)
      if (!isFault) assert.deepEqual(refused, [], 'unavailable without a fault')
      for (const at of nodes.keys()) await checkNode(at)
      for (const { id, server, action } of accepted.splice(0)) {
        const task = await eventually<Task>(`${action} of ${server} ends`, async () => {
          const now = (await operator().request<{ task: Task }>(`/tasks/${id}?scope=max`)).task
          return isEnded(now) && now
        })
        const ends = isFault ? ['succeeded', 'failed'] : ['succeeded']
        assert.ok(ends.includes(task.status), `${task.status}: ${task.error}`)
      }
      for (const name of busyInstances) {
        const server = await serverNamed(name)
        const { tasks } = await operator().request<{ tasks: Task[] }>(
          `/tasks?scope=max&server_id=${server?.id}&limit=1000`,
        )
        for (const [action, request] of [
          ['stop', 'StopInstances'],
          ['start', 'StartInstances'],
        ]) {
          const sent = acting.received.filter(
            (got) => got.id === name && got.action === request && got.time >= countedSince,
          )
          const stored = tasks.filter(
            (task) => task.action === action && Date.parse(task.created_at) >= countedSince,
          )
          assert.ok(sent.length <= stored.length, `${action} of ${name} was sent twice`)
        }
      }
    },
  }
}
export type RunningMuster = Awaited<ReturnType<typeof startRunningMuster>>
