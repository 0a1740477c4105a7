import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { ConfigError } from '../config/parsers.ts'
import { createTestDatabase } from '../testing/engines.ts'
import { startPlatform } from '../testing/start-platform.ts'

/** Something that listens and answers the first bytes with these. */
async function listen(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** PostgreSQL's message of an error. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** The line that the operator sees. */
async function refusal(url: string, isTemporary = false): Promise<string> {
  const flags = [`--database-url=${url}`, '--start-timeout=0']
  const error = await startPlatform({ flags }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Error)
  assert.equal(error instanceof ConfigError, !isTemporary, String(error))
  assert.match(error.message, /^--database-url: [^\n]+$/)
  assert.doesNotMatch(error.message, /secret/)
  return error.message
}

describe('an unusable PostgreSQL is reported with the reason', () => {
  test('an unknown role or database', async () => {
    const url = new URL(await createTestDatabase())
    assert.match(
      await refusal(`postgres://nobody:secret@${url.host}${url.pathname}`),
      /has no role "nobody"/,
    )
    assert.match(
      await refusal(`postgres://muster:secret@${url.host}/elsewhere`),
      /has no database "elsewhere"/,
    )
  })

  test('a wrong password', async (t) => {
    const host = await listen(t, (socket) =>
      socket.end(errorResponse('28P01', 'password authentication failed for user "ada"')),
    )
    assert.match(await refusal(`postgres://ada:secret@${host}/db`), /password of user "ada"/)
  })

  /** What PostgreSQL or a pooler says, and whether that can get better without another setting. */
  const codes = [
    ['57P03', 'the database system is starting up', true],
    ['57P01', 'terminating connection due to administrator command', true],
    ['53300', 'too many connections for role', true],
    ['53100', 'could not extend file: No space left on device', true],
    ['25006', 'cannot execute CREATE TABLE in a read-only transaction', true],
    ['08P01', 'server login has been failing', true],
    ['08P01', 'no such database: db', false],
    ['28000', 'no pg_hba.conf entry for host', false],
    ['3D000', 'database "db" does not exist', false],
    ['42501', 'permission denied for database', false],
  ] as const
  test('an error of PostgreSQL that can get better is not one of the settings', async (t) => {
    for (const [code, message, isTemporary] of codes) {
      const host = await listen(t, (socket) => socket.end(errorResponse(code, message)))
      const line = await refusal(`postgres://ada:secret@${host}/db`, isTemporary)
      if (code !== '3D000') assert.ok(line.includes(message), line)
      const several = `postgres://ada:secret@${host},${host}/db`
      await refusal(several, isTemporary)
      await refusal(`postgres://ada:secret@${host},127.0.0.1:1/db`, true)
    }
  })

  test('a closed port or an unknown host', async () => {
    const closed = await refusal('postgres://ada:secret@127.0.0.1:1/db', true)
    assert.match(closed, /nothing listens at 127/)
    const unknown = await refusal('postgres://ada:secret@nowhere.invalid/db', true)
    assert.match(unknown, /DNS does not know/)
    await refusal('postgres://ada:secret@localhost/db?host=/no/such/folder', true)
  })

  test('a server that is not PostgreSQL', async (t) => {
    const host = await listen(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    // A proxy without a back end closes connections too.
    assert.match(
      await refusal(`postgres://ada:secret@${host}/db`, true),
      /as PostgreSQL|is not a PostgreSQL server/,
    )
  })

  test('TLS without support, or an unreadable certificate', async () => {
    const { host, pathname } = new URL(await createTestDatabase())
    const start = `postgres://muster:secret@${host}${pathname}`
    assert.match(await refusal(`${start}?sslmode=verify-full`), /does not support TLS/)
    assert.match(await refusal(`${start}?sslrootcert=/no/such/file`), /cannot be read/)
  })

  test('several hosts, each with its own reason', async () => {
    const line = await refusal('postgres://ada:secret@127.0.0.1:1,127.0.0.1:2/db', true)
    assert.match(line, /127\.0\.0\.1:1; .*127\.0\.0\.1:2/)
  })

  test('an unsupported target_session_attrs', async () => {
    assert.match(
      await refusal('postgres://ada:secret@a,b/db?target_session_attrs=standby'),
      /target_session_attrs=standby/,
    )
  })
})
