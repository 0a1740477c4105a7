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
async function refusal(url: string): Promise<string> {
  const error = await startPlatform({ flags: [`--database-url=${url}`] }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ConfigError, String(error))
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

  test('a closed port or an unknown host', async () => {
    assert.match(await refusal('postgres://ada:secret@127.0.0.1:1/db'), /nothing listens at 127/)
    assert.match(await refusal('postgres://ada:secret@nowhere.invalid/db'), /DNS does not know/)
  })

  test('a server that is not PostgreSQL', async (t) => {
    const host = await listen(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    assert.match(
      await refusal(`postgres://ada:secret@${host}/db`),
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
    const line = await refusal('postgres://ada:secret@127.0.0.1:1,127.0.0.1:2/db')
    assert.match(line, /127\.0\.0\.1:1; .*127\.0\.0\.1:2/)
  })

  test('an unsupported target_session_attrs', async () => {
    assert.match(
      await refusal('postgres://ada:secret@a,b/db?target_session_attrs=standby'),
      /target_session_attrs=standby/,
    )
  })
})
