import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Batch, BatchPreview } from '@muster/contract'
import { startPostgres } from '../testing/postgres.ts'
import { boundRow, timesRow, type Benchmark, type Row } from './benchmark.ts'
import { withToken } from './pages.ts'
import {
  logIn,
  newFolder,
  post,
  processorTime,
  removeFolder,
  startServer,
  type BenchServer,
} from './server.ts'
import { serve } from './serve.ts'
import { attach } from './sync.ts'

const port = 18_431
const tasks = 1_000
const maxActions = 100
/** Few enough not to saturate the server. */
const load = { connections: 4, seconds: 5 }

async function createBatch(url: string, token: string, batch: object) {
  const response = await post(url, '/servers/batch', JSON.stringify({ batch }), token)
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { batch: Batch & BatchPreview }).batch
}

async function finish(url: string, token: string, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/batches/${id}`, { headers: { 'x-auth-token': token } })
    const { batch } = (await response.json()) as { batch: Batch }
    if (batch.finished_at === null) await pause(250)
    // A simulated server may change by itself just then.
    else if (batch.succeeded >= 0.99 * tasks) return
    else throw new Error(`of ${tasks} tasks, ${batch.succeeded} succeeded`)
  }
}

async function measureOn(engine: string, { url, pid }: BenchServer): Promise<Row[]> {
  const token = await logIn(url)
  const account = await attach(url, token, {
    name: 'managed',
    seed: 1,
    servers: 3_000,
    options: { action_delay: 0 },
    settings: { access: 'manage', max_actions: maxActions },
  })
  await account.finish(null)
  const { body } = await fetch(
    `${url}/servers?scope=system&status=running&scaling_group_id=&limit=${tasks}&account_id=${account.id}`,
    { headers: { 'x-auth-token': token } },
  ).then(async (response) => ({ body: (await response.json()) as { servers: { id: string }[] } }))
  const ids = body.servers.map(({ id }) => id)
  const run = async (action: string) => {
    const { id } = await createBatch(url, token, { action, ids, max_parallel: maxActions })
    return id
  }
  const reads = ['', '&offset=20', '&status=running', '&order_by=name'].map((query) =>
    withToken(token, `/servers?details=true&limit=20${query}`),
  )
  await serve(url, reads, load)
  const idle = await serve(url, reads, load)

  const [begin, cpuBefore] = [performance.now(), processorTime(pid)]
  await finish(url, token, await run('stop'))
  const [seconds, cpu] = [(performance.now() - begin) / 1_000, processorTime(pid) - cpuBefore]

  const second = await run('start')
  const during = await serve(url, reads, load)
  await finish(url, token, second)
  return [
    {
      what: `${tasks} tasks, ${maxActions} at once, ${engine}`,
      measured: `${(tasks / seconds).toFixed(0)} per second (${seconds.toFixed(1)} s; each waits 1 s before the first reading)`,
      target: 'no target',
      reached: true,
    },
    boundRow(`CPU time of Muster for a task, ${engine}`, 'ms', cpu / tasks / 1_000, 15),
    timesRow(
      `p99 of reads while tasks run, ${engine}`,
      during.p99,
      { name: 'without tasks', value: idle.p99 },
      3,
    ),
  ]
}

async function measureSqlite(): Promise<Row[]> {
  const folder = newFolder()
  const server = await startServer(port, folder)
  try {
    return await measureOn('SQLite', server)
  } finally {
    await server.stop()
    removeFolder(folder)
  }
}

async function measurePostgres(): Promise<Row[]> {
  const postgres = await startPostgres({ isDurable: true })
  const folder = newFolder()
  const flags = [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
  const server = await startServer(port, folder, { flags })
  try {
    return await measureOn('PostgreSQL', server)
  } finally {
    await server.stop()
    await postgres.stop()
    removeFolder(folder)
  }
}

/** How fast tasks are carried out, what they cost, and how that affects readers. */
export const taskRates: Benchmark = {
  id: 'P17',
  title: 'tasks',
  measure: async () => [...(await measureSqlite()), ...(await measurePostgres())],
}
