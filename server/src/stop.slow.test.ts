import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, passwordIdentity } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { openSocket } from './testing/raw-socket.ts'
import { spawnMuster, temporaryFolder, type Lifetime, type Muster } from './testing/spawn-muster.ts'
import { adminPassword } from './testing/start-platform.ts'
import { startDatabaseProxy, throughProxy } from './testing/tcp-proxy.ts'

/** A connection on which a test sends single bytes at chosen times. */
async function openConnection(lifetime: Lifetime, url: string) {
  const socket = openSocket(url)
  lifetime.after(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  const closed = once(socket, 'close').then(() => received)
  await once(socket, 'connect')
  return {
    closed,
    send: (text: string) => socket.write(text, 'latin1'),
    async receive(text: string): Promise<void> {
      await eventually(`receives "${text}"`, () => {
        if (received.includes(text)) return true
        if (socket.destroyed) throw new Error(`closed without "${text}": ${received}`)
        return false
      })
    },
  }
}

/** A request that the server has begun to work on and that waits for its body. */
async function openSlowRequest(
  lifetime: Lifetime,
  url: string,
  { path, body }: { path: string; body: string },
) {
  const connection = await openConnection(lifetime, url)
  connection.send(
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      '',
    ].join('\r\n'),
  )
  // With this response the server shows that it has read the headers.
  await connection.receive('100 Continue')
  return {
    /** Sends the body, and returns the answer once the server has ended the connection. */
    async finish(): Promise<string> {
      connection.send(body)
      const answer = await connection.closed
      return answer.slice(answer.indexOf('\r\n\r\n') + 4)
    },
  }
}

/** Whether anything listens at this address. */
async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const untilRefused = (url: string) =>
  eventually(`nothing listens at ${url}`, async () => !(await isListening(url)), { deadline: 8 })

const environment = { MUSTER_ADMIN_PASSWORD: adminPassword, npm_config_update_notifier: 'false' }

const login = {
  path: '/v3/auth/tokens',
  body: JSON.stringify({ auth: { identity: passwordIdentity('sysadmin', adminPassword) } }),
}

const startMuster = (t: Lifetime) =>
  spawnMuster(t, { environment, flags: [`--data-dir=${temporaryFolder(t)}/data`] })

/** A process group of its own, so that processes that npm leaves behind are stopped, too. */
const startThroughNpm = (t: Lifetime, dataDir: string) =>
  spawnMuster(t, {
    environment,
    command: ['npm', 'start', '--'],
    flags: [`--data-dir=${dataDir}`],
    ownGroup: true,
  })

/** Stops it in the middle of a login, and returns what the login got. */
async function stopDuringLogin(t: Lifetime, { authUrl }: Muster, stop: () => void) {
  const slow = await openSlowRequest(t, authUrl, login)
  stop()
  await untilRefused(authUrl)
  return await slow.finish()
}

function assertAnswered(answer: string): void {
  assert.match(answer, /^HTTP\/1\.1 201 /)
  assert.match(answer, /^connection: close\r$/im)
  assert.match(answer, /^x-subject-token: mt1_/im)
}

// Most of the time is spent waiting for processes to go, so they wait together.
describe('stopping', { concurrency: 4 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`REL-16: ${signal} lets a login finish, accepts no new one and exits with status 0`, async (t) => {
      const muster = await startMuster(t)
      const answer = await stopDuringLogin(t, muster, () => process.kill(muster.pid, signal))
      assertAnswered(answer)
      const { code, stderr } = await muster.exited
      assert.equal(code, 0, stderr)
      // The last lines reach the log.
      const lines = stderr.trimEnd().split('\n')
      const entries = lines.map((line) => JSON.parse(line) as { signal?: string; status?: number })
      assert.ok(entries.some((entry) => entry.signal === signal))
      assert.ok(entries.some((entry) => entry.status === 201))
    })

    test(`REL-16: ${signal} to "npm start" does the same and leaves no process running`, async (t) => {
      const dataDir = `${temporaryFolder(t)}/data`
      const muster = await startThroughNpm(t, dataDir)
      const answer = await stopDuringLogin(t, muster, () => process.kill(muster.pid, signal))
      assertAnswered(answer)
      const { code, stderr } = await muster.exited
      assert.equal(code, 0, stderr)
      // Nobody holds the port (see above), nor the data.
      await spawnMuster(t, { flags: [`--data-dir=${dataDir}`] })
    })
  }

  test('REL-16: Ctrl-C, which the terminal sends to npm and to the server, does the same', async (t) => {
    const dataDir = `${temporaryFolder(t)}/data`
    const muster = await startThroughNpm(t, dataDir)
    const answer = await stopDuringLogin(t, muster, () => process.kill(-muster.pid, 'SIGINT'))
    assertAnswered(answer)
    await muster.exited
    await spawnMuster(t, { flags: [`--data-dir=${dataDir}`] })
  })

  test('REL-26: an unhandled rejection is logged, running requests finish, and the status is 1', async (t) => {
    const folder = temporaryFolder(t)
    const hook = `${folder}/hook.mjs`
    writeFileSync(
      hook,
      "process.on('SIGUSR2', () => void Promise.reject(new Error('planted failure')))",
    )
    const muster = await spawnMuster(t, {
      environment: { ...environment, NODE_OPTIONS: `--import=${hook}` },
      flags: [`--data-dir=${folder}/data`],
    })
    const answer = await stopDuringLogin(t, muster, () => process.kill(muster.pid, 'SIGUSR2'))
    assertAnswered(answer)
    const { code, stderr } = await muster.exited
    assert.equal(code, 1)
    assert.match(stderr, /"level":"fatal".*planted failure/)
  })

  test('REL-16: a second signal, as from npm after Ctrl-C, interrupts nothing', async (t) => {
    const muster = await startMuster(t)
    const slow = await openSlowRequest(t, muster.authUrl, login)
    process.kill(muster.pid, 'SIGINT')
    // Two signals at once would become one.
    await eventually('the process is stopping', () => muster.stderr().includes('"stopping"'))
    process.kill(muster.pid, 'SIGINT')
    await untilRefused(muster.authUrl)
    assertAnswered(await slow.finish())
    const { code } = await muster.exited
    assert.equal(code, 0)
  })

  test('REL-16: idle connections and unfinished requests do not prevent the stop', async (t) => {
    const muster = await startMuster(t)
    const silent = await openConnection(t, muster.authUrl)
    const halfway = await openConnection(t, muster.authUrl)
    halfway.send('GET /healthz HTTP/1.1\r\nHost: loc')
    // A response on a third connection shows that the server has accepted the other two.
    await ask(muster.authUrl, '/healthz')
    const { code, signal } = await muster.end('SIGTERM')
    assert.deepEqual([code, signal], [0, null])
    await Promise.all([silent.closed, halfway.closed])
  })

  test('REL-16: /readyz returns 503 before connections fail', async (t) => {
    const muster = await startMuster(t)
    assert.equal((await ask(muster.authUrl, '/readyz')).status, 200)
    process.kill(muster.pid, 'SIGTERM')
    const seen: number[] = []
    for (;;) {
      const answer = await ask(muster.authUrl, '/readyz', {
        headers: { connection: 'close' },
      }).catch(() => undefined)
      if (!answer) break
      seen.push(answer.status)
      await pause(20)
    }
    assert.ok(seen.includes(503), `seen before the port closed: ${seen.join(' ') || 'nothing'}`)
  })

  for (const how of ['cut', 'silence'] as const) {
    test(`SIGTERM exits with status 0 while the database is unavailable (${how})`, async (t) => {
      const databaseUrl = await createTestDatabase()
      const proxy = await startDatabaseProxy(t, databaseUrl)
      const muster = await spawnMuster(t, {
        environment,
        flags: [
          `--database-url=${throughProxy(databaseUrl, proxy)}`,
          `--secret-key-file=${temporaryFolder(t)}/secret.key`,
        ],
      })
      proxy[how]()
      await ask(muster.authUrl, '/healthz')
      const { code, stderr } = await muster.end('SIGTERM')
      assert.equal(code, 0, stderr)
    })
  }
})
