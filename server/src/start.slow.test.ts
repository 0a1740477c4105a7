import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { text } from 'node:stream/consumers'
import { createTestDatabase } from './testing/engines.ts'
import { ask, passwordIdentity, requestToken, secretOf } from './testing/client.ts'
import {
  musterCommand,
  repository,
  runMuster,
  sourceEntry,
  spawnMuster,
  spawnProcess,
  temporaryFolder,
  type Exit,
} from './testing/spawn-muster.ts'

/** What an operator sees of a failed start: one line and the exit status. */
function assertRefused(exit: Exit, code: number, line: RegExp): void {
  assert.equal(exit.stdout, '')
  assert.match(exit.stderr, /^muster: [^\n]+\n$/)
  assert.match(exit.stderr, line)
  assert.equal(exit.code, code)
}

/** A server that occupies a port and never answers. */
async function holdPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('the process', { concurrency: 2 }, () => {
  test('--help prints the help and exits with status 0', async (t) => {
    const { code, stdout, stderr } = await runMuster(t, ['--help'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^ +--port <number> +MUSTER_PORT +\[8400\]$/m)
  })

  test('--version prints the version of the package', async (t) => {
    const { code, stdout, stderr } = await runMuster(t, ['--version'])
    const { default: manifest } = await import(join(repository, 'server/package.json'), {
      with: { type: 'json' },
    })
    assert.deepEqual([code, stdout, stderr], [0, `${manifest.version}\n`, ''])
  })

  test('a command whose reader ends early does its work without a complaint', async (t) => {
    const [program, entry] = musterCommand
    const child = spawn(program, [entry, 'config', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill())
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([stderr, code], ['', 0])
  })

  test('an invalid or unknown setting is one line and status 2', async (t) => {
    assertRefused(await runMuster(t, ['--prot', '1']), 2, /--prot/)
    assertRefused(await runMuster(t, [], { MUSTER_PORT: '70000' }), 2, /MUSTER_PORT must/)
  })

  test('an invalid certificate or key is one line with its name, and status 2', async (t) => {
    const cert = join(import.meta.dirname, 'testing/fixtures/test-only.cert.pem')
    const folder = temporaryFolder(t)
    const flags = [`--data-dir=${folder}/data`, '--port=0', `--tls-cert=${cert}`]
    const exit = await runMuster(t, [...flags, `--tls-key=${join(repository, 'package.json')}`])
    assertRefused(exit, 2, /--tls-key|--tls-cert/)
    assert.doesNotMatch(exit.stderr, /routines/)
  })

  test('a weak MUSTER_ADMIN_PASSWORD is one line and status 2, and the next start can succeed', async (t) => {
    const folder = temporaryFolder(t)
    const flags = [`--data-dir=${folder}/data`]
    const weak = await runMuster(t, [...flags, '--port=0'], { MUSTER_ADMIN_PASSWORD: 'hunter2' })
    assertRefused(weak, 2, /MUSTER_ADMIN_PASSWORD/)
    assert.ok(!weak.stderr.includes('hunter2'), weak.stderr)
    const environment = { MUSTER_ADMIN_PASSWORD: 'a sentence nobody else says' }
    const muster = await spawnMuster(t, { flags, environment })
    const identity = passwordIdentity('sysadmin', environment.MUSTER_ADMIN_PASSWORD)
    secretOf(await requestToken(muster.authUrl, { identity }))
    assert.equal(muster.password, undefined)
    assert.ok(!muster.stdout().includes(environment.MUSTER_ADMIN_PASSWORD))
  })

  test('a port in use is one line and status 1', async (t) => {
    const folder = temporaryFolder(t)
    const port = await holdPort(t)
    const exit = await runMuster(t, [`--data-dir=${folder}/data`, `--port=${port}`])
    assertRefused(exit, 1, /--port/)
  })

  test('an address of another machine is one line and status 1, after the time of the start', async (t) => {
    const folder = temporaryFolder(t)
    // An address reserved for documentation, so that no machine has it.
    const exit = await runMuster(t, [
      `--data-dir=${folder}/data`,
      '--host=192.0.2.1',
      '--port=8400',
      `--access-log-file=${folder}/access.log`,
      '--log-level=error',
      '--start-timeout=1',
    ])
    assertRefused(exit, 1, /--host: 192\.0\.2\.1 is not an address/)
  })

  test('a failed first start does not store a password that was not printed', async (t) => {
    const folder = temporaryFolder(t)
    const flags = [`--data-dir=${folder}/data`]
    const port = await holdPort(t)
    await runMuster(t, [...flags, `--port=${port}`])
    const muster = await spawnMuster(t, { flags })
    assert.ok(muster.password, `no password in:\n${muster.stdout()}`)
    const identity = passwordIdentity('sysadmin', muster.password)
    secretOf(await requestToken(muster.authUrl, { identity }))
  })

  test('PostgreSQL without a secret key file is one line and status 2', async (t) => {
    const exit = await runMuster(t, ['--database-url=postgres://muster:planted@127.0.0.1:1/muster'])
    assertRefused(exit, 2, /MUSTER_SECRET_KEY_FILE|--secret-key-file/)
    assert.ok(!exit.stderr.includes('planted'))
  })

  test('SEC-64: an unusable PostgreSQL is one line without the password', async (t) => {
    const folder = temporaryFolder(t)
    const flags = ['--port=0', `--secret-key-file=${folder}/secret.key`, '--start-timeout=0']
    const missing = new URL(await createTestDatabase())
    missing.pathname = '/not_there'
    missing.password = 'planted'
    const addresses = [
      // Nothing listens; a server listens and stays silent; the server works, but the database does not
      // exist.
      `postgres://muster:planted@127.0.0.1:${await findClosedPort()}/muster`,
      `postgres://muster:planted@127.0.0.1:${await holdPort(t)}/muster`,
      missing.href,
    ]
    const exits = await Promise.all(
      addresses.map((address) => runMuster(t, [...flags, `--database-url=${address}`])),
    )
    for (const exit of exits) {
      assertRefused(exit, exit === exits.at(-1) ? 2 : 1, /--database-url: /)
      assert.ok(!exit.stderr.includes('planted'), exit.stderr)
    }
  })

  test('is alive while it waits for its database, and SIGTERM exits with status 0', async (t) => {
    const port = await findClosedPort()
    const silent = `postgres://muster@127.0.0.1:${await holdPort(t)}/muster`
    const muster = spawnProcess(t, {
      flags: [
        `--port=${port}`,
        `--database-url=${silent}`,
        `--secret-key-file=${temporaryFolder(t)}/secret.key`,
      ],
    })
    const url = `http://127.0.0.1:${port}`
    await eventually(
      'the process answers',
      async () => await ask(url, '/healthz').catch(() => undefined),
    )
    const { status, body } = await ask(url, '/readyz')
    assert.equal(status, 503)
    assert.match(body.details, /opening the database/)
    const { code, stdout } = await muster.end('SIGTERM')
    assert.deepEqual([code, stdout], [0, ''])
  })

  test('waits for its database, says for what in /readyz and the log, and starts when it is there', async (t) => {
    const database = new URL(await createTestDatabase())
    const [port, databasePort] = [await findClosedPort(), await findClosedPort()]
    const away = new URL(database)
    away.host = `127.0.0.1:${databasePort}`
    const muster = spawnProcess(t, {
      flags: [
        `--port=${port}`,
        `--database-url=${away.href}`,
        `--secret-key-file=${temporaryFolder(t)}/secret.key`,
      ],
    })
    const url = `http://127.0.0.1:${port}`
    const shows = (reason: string) =>
      eventually(`/readyz shows: ${reason}`, async () => {
        const answer = await ask(url, '/readyz').catch(() => undefined)
        return answer?.body.details?.includes(reason) ? answer : undefined
      })
    await shows('nothing listens at 127.0.0.1')
    const refused = await ask(url, '/v3/auth/tokens', { method: 'POST', body: {} })
    assert.equal(refused.status, 503)
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]/)

    let answer: string | undefined = 'C57P03\0Mthe database system is starting up\0\0'
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (answer === undefined) {
        const real = connect(Number(database.port), database.hostname)
        real.on('error', () => socket.destroy())
        socket.pipe(real).pipe(socket)
        return
      }
      const head = Buffer.from('E\0\0\0\0')
      head.writeInt32BE(answer.length + 4, 1)
      socket.end(Buffer.concat([head, Buffer.from(answer)]))
    }).listen(databasePort, '127.0.0.1')
    t.after(() => server.close())
    await shows('is starting up or shutting down: the database system is starting up')
    answer = 'C53300\0Mtoo many connections\0\0'
    await shows('has no connection free')
    answer = undefined
    await muster.printed('Muster is up.')
    assert.equal((await ask(url, '/readyz')).status, 200)
    const reasons = muster.stderr().match(/"reason":"--database-url: [^"]*"/g) ?? []
    assert.equal(new Set(reasons).size, 3, muster.stderr())
    assert.equal((await muster.end('SIGTERM')).code, 0)
  })

  test('--host accepts an IPv6 address, and the printed addresses contain it', async (t) => {
    const folder = temporaryFolder(t)
    const flags = [`--data-dir=${folder}/data`, '--host', '::1', '--start-timeout=0']
    if (!(await hasIpv6())) {
      assertRefused(await runMuster(t, [...flags, '--port=0']), 1, /::1/)
      return
    }
    const muster = await spawnMuster(t, { flags })
    assert.match(muster.authUrl, /^http:\/\/\[::1\]:\d+$/)
    const identity = passwordIdentity('sysadmin', muster.password ?? '')
    const { body } = await requestToken(muster.authUrl, { identity })
    assert.equal(body.token.context.ip, '::1')
    assert.equal((await ask(muster.authUrl, '/metrics')).status, 200)
  })
})

async function hasIpv6(): Promise<boolean> {
  const server = createServer().listen(0, '::1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

describe('an unsupported version of Node', () => {
  /** Any Node on this machine that is too old, as found on the path. */
  const oldNodes = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((node) => existsSync(node))
    .filter((node) => {
      const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
      return Number.parseInt(stdout, 10) < 24
    })
  const asOld = (version: string) =>
    `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`

  test('is reported in one line, with status 2', async (t) => {
    const node = process.execPath
    const commands: [string, ...string[]][] = [
      [node, '--import', asOld('22.99.0'), sourceEntry],
      [node, '--import', asOld('9.11.2'), sourceEntry],
      ...oldNodes.slice(0, 1).map((old): [string, string] => [old, sourceEntry]),
    ]
    for (const command of commands) {
      const exit = await spawnProcess(t, { command }).exited
      assertRefused(exit, 2, /needs Node 24 or newer/)
    }
  })

  // The time limit makes the test fail if the start waits forever for open connections.
  const patience = { timeout: 60_000 }
  test('requests during the start do not prevent it', patience, async (t) => {
    const port = await findClosedPort()
    const knocking = setInterval(() => {
      connect(port, '127.0.0.1').on('error', () => {})
    }, 5)
    t.after(() => clearInterval(knocking))
    const folder = temporaryFolder(t)
    const muster = spawnProcess(t, { flags: [`--data-dir=${folder}/data`, `--port=${port}`] })
    await muster.printed('Muster is up.')
  })
})
