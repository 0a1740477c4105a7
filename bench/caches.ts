import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark, Row } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { hotPage, withToken } from './pages.ts'
import {
  logIn,
  makeAccessKey,
  newFolder,
  post,
  removeFolder,
  sendLogin,
  tokenLogin,
  type BenchServer,
} from './server.ts'

const size = 100_000
const rounds = 3
const connections = 4
/** Milliseconds of one measurement. */
const duration = 600
/** A cache that saves less processor time has no use. */
const target = 1.2
/** 1 % of the servers in a minute. */
const changesPerSecond = size / 100 / 60

type Send = () => Promise<Response>

/** Microseconds of processor time that all threads of the process have used. */
function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const timeOf = (task: string) =>
    Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0])
  return readdirSync(tasks).reduce((sum, task) => sum + timeOf(task), 0) / 1_000
}

/** Microseconds of processor time for each request, without the time that the server uses anyway. */
async function costOf({ pid }: BenchServer, send: Send, perMillisecond: number): Promise<number> {
  const [before, begin] = [processorTime(pid), performance.now()]
  let sent = 0
  const sendAll = async () => {
    while (performance.now() < begin + duration) {
      const response = await send()
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${response.status} ${response.url}`)
      sent += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, sendAll))
  const own = (performance.now() - begin) * perMillisecond
  return (processorTime(pid) - before - own) / sent
}

/** Microseconds of processor time in each millisecond without requests. */
async function idleCost({ pid }: BenchServer): Promise<number> {
  const [before, begin] = [processorTime(pid), performance.now()]
  await pause(10 * duration)
  return (processorTime(pid) - before) / (performance.now() - begin)
}

/** Requests that users feel, by what they do. */
async function requestsTo({ url }: BenchServer, fleet: Fleet) {
  const token = await logIn(url)
  const tokens = await Promise.all(
    Array.from({ length: 40 }, () => sendLogin(url, tokenLogin(token))),
  )
  const { accessKey, secret } = await makeAccessKey(url)
  const basic = `Basic ${Buffer.from(`${accessKey}:${secret}`).toString('base64')}`
  const hot = hotPage(fleet)
  let at = 0
  const next = (count: number) => (at += 1) % count
  const get = (path: string, by = token) =>
    fetch(url + path, { headers: { ...withToken(by, path).headers } })
  const list = (query: string, by?: string) => get(`/servers?scope=system&limit=20&${query}`, by)
  return {
    'a page of a project': () => fetch(url + hot.path, { headers: { ...hot.headers } }),
    'a page of all servers': () => list(''),
    'a page, 40 tokens of a user': () => list('', tokens[next(40)]),
    'a filtered page': () => list('status=running&order_by=name'),
    'the next page of a filter': () =>
      list(`status=running&order_by=name&offset=${next(1_000) * 20}`),
    'a search, next pages': () => list(`search=web&offset=${next(100) * 20}`),
    'one of 500 servers': () => get(`/servers/${fleet.ids[next(500)]}?scope=system`),
    'overlapping pages of 500 servers': () => list(`offset=${next(480)}`),
    statistics: () => get('/servers/statistics?scope=system&group_by=status'),
    'filtered statistics': () =>
      get('/servers/statistics?scope=system&status=running&group_by=provider'),
    'token check': () =>
      fetch(`${url}/v3/auth/tokens`, {
        headers: { 'x-auth-token': token, 'x-subject-token': token },
      }),
    'token login': () => post(url, '/v3/auth/tokens', tokenLogin(token)),
    'a feed by access key': () =>
      fetch(`${url}/sd/prometheus?scope=system&name=web-1`, { headers: { authorization: basic } }),
  } satisfies Record<string, Send>
}

const caches = [
  'responses',
  'pages',
  'tokens',
  'users',
  'owners',
  'managed_accounts',
  'query_results',
  'documents',
  'statements',
  'statistics',
  'token_descriptions',
  'access_keys',
  'access_key_tokens',
]

/** Changes servers, one after the other, until it is stopped. */
function changeServers({ url }: BenchServer, { ids }: Fleet, token: string) {
  let at = ids.length
  const timer = setInterval(() => {
    at -= 1
    const body = JSON.stringify({ server: { description: `change ${at}` } })
    const headers = { 'content-type': 'application/json', 'x-auth-token': token }
    void fetch(`${url}/servers/${ids[at]}?scope=system`, { method: 'PUT', headers, body })
  }, 1_000 / changesPerSecond)
  return () => clearInterval(timer)
}

/** The processor time of each kind of request with all caches, and without each of them. */
async function compare(
  server: BenchServer,
  requests: Readonly<Record<string, Send>>,
  switchOff: (name: string) => Promise<void>,
  fleet: string,
): Promise<Row[]> {
  const idle = await idleCost(server)
  const costs = new Map<string, ReadonlyMap<string, number>>()
  for (const [what, send] of Object.entries(requests)) {
    const best = new Map<string, number>()
    for (let round = 0; round < rounds; round += 1) {
      for (const off of ['', ...caches]) {
        await switchOff(off)
        best.set(off, Math.min(best.get(off) ?? Infinity, await costOf(server, send, idle)))
      }
    }
    costs.set(what, best)
    const all = [...best].map(([off, cost]) => `${off || 'all on'} ${Math.round(cost)}`)
    process.stderr.write(`  ${fleet}, ${what}, µs: ${all.join(', ')}\n`)
  }
  await switchOff('')
  return caches.map((cache) => {
    const gains = [...costs].map(([what, best]) => {
      const [without, having] = [best.get(cache) ?? 0, best.get('') ?? 1]
      return { what, without, having, ratio: without / having }
    })
    const { what, without, having, ratio } = gains.reduce((a, b) => (b.ratio > a.ratio ? b : a))
    return {
      what: `without \`${cache}\`, ${fleet}`,
      measured: `${ratio.toFixed(2)} (${what}: ${Math.round(without)} µs to ${Math.round(having)} µs)`,
      target: `≥ ${target.toFixed(2)} of the processor time with it`,
      reached: ratio >= target,
    }
  })
}

export const cacheGains: Benchmark = {
  id: 'P18',
  title: 'caches',
  async measure() {
    const fleet = await openFleet(size)
    const folder = newFolder()
    const file = join(folder, 'off')
    writeFileSync(file, '')
    const switchOff = async (name: string) => {
      writeFileSync(file, name)
      await pause(120)
    }
    const hook = new URL('switch-caches.ts', import.meta.url).pathname
    const env = { BENCH_CACHES_OFF: file, NODE_OPTIONS: `--import ${hook}` }
    const server = await fleet.start(18_440, { env })
    try {
      const requests = await requestsTo(server, fleet)
      const still = await compare(server, requests, switchOff, 'servers that do not change')
      const stop = changeServers(server, fleet, await logIn(server.url))
      const changing = await compare(
        server,
        requests,
        switchOff,
        '1 % of the servers change in a minute',
      )
      stop()
      return [...still, ...changing]
    } finally {
      await server.stop()
      removeFolder(folder)
    }
  },
}
