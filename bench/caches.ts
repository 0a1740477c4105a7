import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark, Row } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { withToken } from './pages.ts'
import {
  logIn,
  makeAccessKey,
  newFolder,
  post,
  processorTime,
  removeFolder,
  tokenLogin,
  type BenchServer,
} from './server.ts'

const size = 100_000
/** Each cache is switched off and on so often. */
const rounds = 5
const connections = 4
/** Milliseconds of one measurement. */
const duration = 350
/** A cache that saves less processor time has no use. */
const target = 1.2
/** 1 % of the servers in a minute. */
const changesPerSecond = size / 100 / 60

type Send = () => Promise<Response>

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

/** For each cache the request that it helps most, of those that users feel. */
async function requestsTo({ url }: BenchServer, fleet: Fleet) {
  const token = await logIn(url)
  const { accessKey, secret } = await makeAccessKey(url)
  const basic = `Basic ${Buffer.from(`${accessKey}:${secret}`).toString('base64')}`
  let at = 0
  const next = (count: number) => (at += 1) % count
  const random = (below: number) => Math.floor(Math.random() * below)
  const get = (path: string, by = token) =>
    fetch(url + path, { headers: { ...withToken(by, path).headers } })
  /** A client that traces: no two of its requests are equal, so no response is sent again. */
  const getTraced = (path: string) => {
    const traceparent = `00-${next(Infinity).toString(16).padStart(32, '0')}-0000000000000001-00`
    return fetch(url + path, { headers: { ...withToken(token, path).headers, traceparent } })
  }
  const page = '/servers?scope=system&limit=20'
  const oneServer = () => getTraced(`/servers/${fleet.ids[next(500)]}?scope=system`)
  const changeServer = () =>
    fetch(`${url}/servers/${fleet.ids[next(500)]}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-auth-token': token },
      body: JSON.stringify({ server: { description: `change ${at}` } }),
    })
  const checkToken = () =>
    fetch(`${url}/v3/auth/tokens`, {
      headers: { 'x-auth-token': token, 'x-subject-token': token },
    })
  const feed = () =>
    fetch(`${url}/sd/prometheus?scope=system&name=web-1`, { headers: { authorization: basic } })
  return {
    responses: { what: 'a page', send: () => get(page) },
    tokens: { what: 'a page', send: () => get(page) },
    users: { what: 'token login', send: () => post(url, '/v3/auth/tokens', tokenLogin(token)) },
    pages: { what: 'a page, traced', send: () => getTraced(page) },
    owners: { what: 'one of 500 servers, traced', send: oneServer },
    documents: { what: 'one of 500 servers, traced', send: oneServer },
    statements: { what: 'a change of a server', send: changeServer },
    query_results: {
      what: 'next pages of a filter, traced',
      // Hardly any page twice, so that `pages` has none.
      send: () =>
        getTraced(
          `/servers?scope=system&limit=${20 + random(30)}&zone=bjs1a&order_by=name&offset=${random(1_000)}`,
        ),
    },
    statistics: {
      what: 'statistics, traced',
      send: () => getTraced('/servers/statistics?scope=system&status=running&group_by=provider'),
    },
    token_descriptions: { what: 'token check', send: checkToken },
    access_key_tokens: { what: 'a feed by access key', send: feed },
  } satisfies Record<string, { readonly what: string; readonly send: Send }>
}
type Requests = Awaited<ReturnType<typeof requestsTo>>

/** Changes servers, one after the other, until it is stopped. */
function changeServers({ url }: BenchServer, { ids }: Fleet, token: string) {
  let at = ids.length
  let failure: string | undefined
  const change = async () => {
    at -= 1
    const body = JSON.stringify({ server: { description: `change ${at}` } })
    const headers = { 'content-type': 'application/json', 'x-auth-token': token }
    const response = await fetch(`${url}/servers/${ids[at]}`, { method: 'PUT', headers, body })
    if (!response.ok) failure = await response.text()
  }
  const timer = setInterval(() => void change(), 1_000 / changesPerSecond)
  return () => {
    clearInterval(timer)
    if (failure !== undefined) throw new Error(`a server could not be changed: ${failure}`)
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/**
 * The processor time of each request with its cache and without it. Measured in turns: what else happens
 * on the machine changes both.
 */
async function compare(
  server: BenchServer,
  requests: Requests,
  switchOff: (name: string) => Promise<void>,
  fleet: string,
): Promise<Row[]> {
  const idle = await idleCost(server)
  const rows: Row[] = []
  for (const [cache, { what, send }] of Object.entries(requests)) {
    const costs = { having: [] as number[], without: [] as number[] }
    await costOf(server, send, idle)
    for (let round = 0; round < rounds; round += 1) {
      await switchOff(cache)
      costs.without.push(await costOf(server, send, idle))
      await switchOff('')
      costs.having.push(await costOf(server, send, idle))
    }
    const [without, having] = [median(costs.without), median(costs.having)]
    rows.push({
      what: `without \`${cache}\`, ${fleet}`,
      measured: `${(without / having).toFixed(2)} (${what}: ${Math.round(without)} µs to ${Math.round(having)} µs)`,
      target: `≥ ${target.toFixed(2)} of the processor time with it`,
      reached: without / having >= target,
    })
    process.stderr.write(`  ${rows.at(-1)?.what}: ${rows.at(-1)?.measured}\n`)
  }
  return rows
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
