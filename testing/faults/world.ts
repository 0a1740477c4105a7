import { eventually } from '../../server/src/testing/eventually.ts'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { CloudAccount, Server, Task } from '@muster/contract'
import { ask, loginAdmin } from '../../server/src/testing/client.ts'
import { createTestDatabase, type Engine } from '../../server/src/testing/engines.ts'
import { operate } from '../../server/src/testing/inventory-world/operate-muster.ts'
import {
  spawnMuster,
  temporaryFolder,
  type Lifetime,
} from '../../server/src/testing/spawn-muster.ts'
import { adminPassword } from '../../server/src/testing/start-platform.ts'
import type { FaultyBackEnd } from './back-end.ts'
import { actionOf, type Operation } from './operations.ts'

const script = fileURLToPath(new URL('../../server/src/testing/muster-process.ts', import.meta.url))

/** What Muster shows at a moment. */
export interface Shown {
  readonly servers: readonly Server[]
  readonly account: CloudAccount
}

/** The times of an account: scans only when the test wants one. */
const accountTimes = { period: 3_600, request_timeout: 5 }

let worlds = 0

/** A back end, and a Muster process with short time limits that has it as an account. */
export async function startWorld(
  lifetime: Lifetime,
  startBackEnd: (lifetime: Lifetime) => Promise<FaultyBackEnd>,
) {
  const backEnd = await startBackEnd(lifetime)
  lifetime.after(() => backEnd.stop())
  const folder = temporaryFolder(lifetime)
  // Every second world is on PostgreSQL, so that half of the cells are.
  worlds += 1
  const engine: Engine = worlds % 2 === 0 ? 'postgres' : 'sqlite'
  const database =
    engine === 'postgres' ? [`--database-url=${await createTestDatabase('migrated')}`] : []
  const start = () =>
    spawnMuster(lifetime, {
      command: [process.execPath, script],
      flags: [
        `--data-dir=${folder}/data`,
        `--secret-key-file=${folder}/secret.key`,
        '--source-allow=127.0.0.1',
        '--log-level=warn',
        // Longer than a busy machine needs to start Muster again, and shorter than the patience of a cell.
        '--task-timeout=90s',
        '--recycle-for=1s',
        // On a busy machine a query may take long. That is not what the matrix tests.
        '--query-timeout=60s',
        ...database,
      ],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
  let muster = await start()
  const token = await loginAdmin(muster.authUrl)
  const operator = () => operate(muster, token)
  const accountId = await operator().attach({
    name: 'far',
    ...backEnd.account,
    ...accountTimes,
    access: 'manage',
  })
  await operator().finished(accountId)

  const show = async (): Promise<Shown> => ({
    servers: (
      await operator().request<{ servers: Server[] }>(
        '/servers?scope=max&details=true&with_meta=true&limit=1000&pending_delete=all',
      )
    ).servers,
    account: await operator().show(accountId),
  })

  const world = {
    backEnd,
    engine,
    show,
    /** Ends the process at once. */
    kill: () => void muster.end('SIGKILL'),
    async restart(): Promise<void> {
      world.kill()
      await muster.exited
      muster = await start()
    },
    /**
     * Waits for the end of a scan that begins now. One that runs already does not count: it may have passed the
     * request with the fault. A scan whose start is being stored is the answer to a request, although it began
     * before it: then another one is requested.
     */
    async scan(): Promise<void> {
      const since = Date.now()
      let requestAt = 0
      const isEnded = async () => {
        const { state, started_at } = (await operator().show(accountId)).sync
        if (state !== 'idle') return false
        if (Date.parse(started_at ?? '') >= since) return true
        if (Date.now() >= requestAt) {
          await operator().request(`/cloudaccounts/${accountId}/sync`, 'POST')
          requestAt = Date.now() + 3_000
        }
        return false
      }
      await eventually('the end of a scan', isEnded, { deadline: 60 })
    },
    /** Scans until Muster shows what the back end has. */
    async settle(): Promise<void> {
      const isSettled = async () => {
        const [{ servers, account }, real] = [await show(), await backEnd.servers()]
        return (
          account.sync.state === 'idle' &&
          account.sync.error === '' &&
          servers.length === real.size &&
          servers.every(({ external_id, name, status }) => {
            const server = real.get(external_id)
            return server?.name === name && server.status === status
          })
        )
      }
      if (await isSettled()) return
      await eventually(
        'Muster shows what the source has',
        async () => {
          await world.scan()
          return await isSettled()
        },
        { deadline: 60 },
      )
    },
    /** Notes of a user on a server, which must survive everything. */
    async annotate(id: string, disable_delete: boolean): Promise<void> {
      await operator().request(`/servers/${id}`, 'PUT', {
        server: { description: `written by a user ${randomUUID()}`, disable_delete },
      })
      await operator().request(`/servers/${id}/metadata`, 'POST', {
        metadata: { owner: 'a user', ticket: randomUUID() },
      })
    },
    /** Sends an action on a server, or a batch of stops. */
    async perform(
      servers: readonly Pick<Server, 'id'>[],
      operation: Operation,
      parameters: object,
    ) {
      const ids = servers.map(({ id }) => id)
      const [id] = ids
      const action = actionOf(operation)
      const update = { method: 'PUT', path: `/servers/${id}`, body: { server: parameters } }
      const atOnce = `/servers/${id}?override_pending_delete=true`
      const special: Partial<Record<Operation, { method: string; path: string; body?: object }>> = {
        update,
        'update of several fields': update,
        delete: { method: 'DELETE', path: atOnce },
        'delete with disks': { method: 'DELETE', path: `${atOnce}&delete_disks=true` },
        recycle: { method: 'DELETE', path: `/servers/${id}` },
        batch: {
          method: 'POST',
          path: '/servers/batch',
          body: { batch: { action, ids, params: parameters } },
        },
      }
      const { path, ...request } = special[operation] ?? {
        method: 'POST',
        path: `/servers/${id}/${action}`,
        body: { server: parameters },
      }
      return await ask(muster.baseUrl, path, { ...request, token })
    },
    /** The tasks of a server, newest first. */
    tasksOf: async (id: string) =>
      (await operator().request<{ tasks: Task[] }>(`/tasks?scope=max&server_id=${id}`)).tasks,
  }
  for (const { id } of (await show()).servers) await world.annotate(id, true)
  return world
}
export type World = Awaited<ReturnType<typeof startWorld>>
