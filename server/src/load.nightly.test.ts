import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { ask, loginAdmin, passwordIdentity, requestToken } from './testing/client.ts'
import { openSocket } from './testing/raw-socket.ts'
import { spawnMuster, suiteLifetime, temporaryFolder, type Muster } from './testing/spawn-muster.ts'
import { adminPassword } from './testing/start-platform.ts'

const kilobytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Milliseconds of CPU time that the process has used. Linux counts hundredths of a second. */
function cpuTimeOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * 10
}

const percentile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? 0)

/** Repeats a request one at a time until the work ends, and returns its times. */
async function timeWhile(work: Promise<unknown>, send: () => Promise<{ status: number }>) {
  const times: number[] = []
  const state = { isRunning: true }
  const ended = work.finally(() => (state.isRunning = false))
  while (state.isRunning) {
    const start = performance.now()
    assert.equal((await send()).status, 200)
    times.push(performance.now() - start)
  }
  await ended
  return times
}

/** Figures are reported, not asserted: they depend on the machine. */
describe('a process under load', { concurrency: 1 }, () => {
  const lifetime = suiteLifetime()
  let muster: Muster
  let url: string
  let token: string

  /** Repeats a request whose headers arrived too late, because this process was short of CPU. */
  async function listServers(): Promise<{ status: number }> {
    for (;;) {
      const response = await fetch(`${url}/servers?limit=20`, {
        headers: { 'x-auth-token': token },
      })
      await response.arrayBuffer()
      if (response.status !== 408) return response
    }
  }

  before(async () => {
    const folder = temporaryFolder(lifetime)
    // Collects garbage and prints what is left.
    const hook = `${folder}/hook.mjs`
    writeFileSync(
      hook,
      `import v8 from 'node:v8'
import vm from 'node:vm'
v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  process.stdout.write('heap ' + process.memoryUsage().heapUsed + '\\n')
})`,
    )
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${folder}/data`, '--demo', '--demo-servers=1000', '--log-level=error'],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword, NODE_OPTIONS: `--import=${hook}` },
    })
    url = muster.authUrl
    token = await loginAdmin(url)
    assert.equal((await listServers()).status, 200)
  })

  /** Lists servers on this many connections at once; all must succeed. Returns the rate per second. */
  async function load(connections: number, amount: number): Promise<number> {
    const state = { left: amount }
    const start = performance.now()
    const repeat = async () => {
      while (state.left > 0) {
        state.left -= 1
        assert.equal((await listServers()).status, 200)
      }
    }
    await Promise.all(Array.from({ length: connections }, repeat))
    return Math.round(amount / ((performance.now() - start) / 1_000))
  }

  async function heapAfterCollection(): Promise<number> {
    const known = muster.stdout().length
    process.kill(muster.pid, 'SIGUSR2')
    for (;;) {
      const found = /heap (\d+)\n/.exec(muster.stdout().slice(known))
      if (found) return Number(found[1])
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  test('REL-18, SEC-74: memory and file descriptors do not grow with requests', async (context) => {
    const heaps: number[] = []
    const descriptors: number[] = []
    for (let point = 0; point < 5; point += 1) {
      await load(20, 2_000)
      heaps.push(await heapAfterCollection())
      descriptors.push(descriptorsOf(muster.pid))
    }
    context.diagnostic(
      `heap in kB after each 2,000 requests: ${heaps.map((heap) => heap >> 10).join(', ')}`,
    )
    const megabyte = 2 ** 20
    assert.ok((heaps[4] ?? Infinity) - (heaps[1] ?? 0) < 2 * megabyte)
    // The client keeps up to 20 connections open.
    assert.ok((descriptors[4] ?? Infinity) <= (descriptors[0] ?? 0) + 20, String(descriptors))
  })

  test('REL-20: more connections than it can serve get responses, and the process goes on', async (context) => {
    // The clients of this test share the machine with the server, so its capacity is told by its own
    // CPU time.
    await load(50, 4_000)
    for (const connections of [50, 500]) {
      const before = cpuTimeOf(muster.pid)
      const rate = await load(connections, 4_000)
      const used = (cpuTimeOf(muster.pid) - before) / 4_000
      context.diagnostic(
        `${connections} connections: ${rate} requests per second, ${used.toFixed(3)} ms of CPU time each`,
      )
    }
    assert.equal((await listServers()).status, 200)
  })

  test('SEC-76: a flood of logins leaves reads alone, and what cannot wait gets a 503', async (context) => {
    const identity = passwordIdentity('nobody', 'a guess')
    const logIn = () =>
      requestToken(url, { identity }).then(({ status, headers }) => ({
        status,
        wait: headers.get('retry-after'),
      }))
    const flood = Promise.all(Array.from({ length: 500 }, logIn))
    const times = await timeWhile(flood, listServers)
    const answers = await flood
    const refused = answers.filter(({ status }) => status === 503)
    assert.ok(refused.length > 0)
    for (const { status, wait } of answers) {
      assert.ok([401, 429, 503].includes(status), String(status))
      if (status !== 401) assert.match(wait ?? '', /^[1-9]/)
    }
    context.diagnostic(
      `during 500 logins at once, ${refused.length} refused: ${times.length} lists, p99 ${percentile(times, 0.99)} ms`,
    )
  })

  test('REL-13: bodies of 100 MB do not add to its memory', async (context) => {
    const before = kilobytesOf(muster.pid)
    for (let count = 0; count < 10; count += 1) {
      const socket = openSocket(url)
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      socket.resume()
      socket.write(
        `POST /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      for (let sent = 0; sent < 1_600 && !socket.destroyed; sent += 1) {
        if (socket.write(chunk)) continue
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
      }
      await closed
    }
    const growth = kilobytesOf(muster.pid) - before
    context.diagnostic(`10 bodies of 100 MB: ${growth} kB more memory`)
    assert.ok(growth < 64 * 1_024)
  })

  test('REL-11: 10,000 open connections leave room for other requests', async (context) => {
    const before = kilobytesOf(muster.pid)
    const sockets: Socket[] = []
    lifetime.after(() => sockets.forEach((socket) => socket.destroy()))
    const open = async () => {
      const socket = openSocket(url)
      sockets.push(socket)
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
    }
    for (let count = 0; count < 10_000; count += 500) {
      await Promise.all(Array.from({ length: 500 }, open))
    }
    const times: number[] = []
    for (let count = 0; count < 100; count += 1) {
      const start = performance.now()
      assert.equal((await ask(url, '/healthz')).status, 200)
      times.push(performance.now() - start)
    }
    assert.ok(descriptorsOf(muster.pid) > 10_000)
    assert.ok(sockets.every((socket) => !socket.destroyed))
    const each = (kilobytesOf(muster.pid) - before) / sockets.length
    context.diagnostic(
      `${each.toFixed(1)} kB for each connection; a request p99 ${percentile(times, 0.99)} ms`,
    )
  })
})
