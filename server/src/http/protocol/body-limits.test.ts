import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import { assertError, assertRawError } from '../../testing/assert-error.ts'
import { listen, openSocket, sendRaw } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

let platform: TestPlatform
let url: string
before(async () => {
  platform = await startPlatform()
  url = platform.url
})
after(() => platform.close())

const tokenType = 'application/json'
const head = `POST /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${tokenType}\r\n`
const piece = Buffer.alloc(64 * 1_024, 'x')
const hundredMegabytes = 100 * 1_024 * 1_024

/** Sends chunks until the server responds or disconnects, or all are sent. */
async function sendUntilRefused(start: string, piece: Uint8Array, most: number) {
  const socket = openSocket(url)
  const exchange = listen(socket)
  socket.write(start)
  let sent = 0
  while (socket.bytesRead === 0 && !socket.destroyed && sent < most) {
    sent += piece.length
    const flowing = socket.write(piece)
    if (!flowing) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    // Writing after the server disconnected would lose its response.
    await pause(25)
  }
  return { sent, ...(await exchange) }
}

const asChunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const post = (body: string | Uint8Array) => ask(url, '/v3/auth/tokens', { method: 'POST', body })

describe('SEC-71 bodies that are too large', () => {
  test('SEC-71, REL-13: 413 for a body of 100 MB, before it is fully sent', async () => {
    const start = `${head}Content-Length: ${hundredMegabytes}\r\n\r\n`
    const { answers, sent, closed } = await sendUntilRefused(start, piece, hundredMegabytes)
    assertRawError(answers[0], 'TooLargeEntity', tokenType)
    assert.ok(sent < hundredMegabytes)
    assert.ok(closed)
  })

  test('SEC-71, REL-13: 413 for an endless chunked body', async () => {
    const start = `${head}Transfer-Encoding: chunked\r\n\r\n`
    const { answers, sent, closed } = await sendUntilRefused(
      start,
      asChunk(piece),
      hundredMegabytes,
    )
    assertRawError(answers[0], 'TooLargeEntity', tokenType)
    assert.ok(sent < hundredMegabytes)
    assert.ok(closed)
  })

  test('SEC-71, REL-13: 413 by Content-Length alone, without any body', async () => {
    for (const length of [65_537, hundredMegabytes, 9_007_199_254_740_991]) {
      const { answers, closed } = await sendRaw(url, `${head}Content-Length: ${length}\r\n\r\n`)
      assertRawError(answers[0], 'TooLargeEntity', tokenType)
      assert.ok(closed)
    }
  })

  test('SEC-71, REL-13: 413 for a client that sends Expect: 100-continue', async () => {
    const asking = `${head}Expect: 100-continue\r\nContent-Length: ${hundredMegabytes}\r\n\r\n`
    const { answers } = await sendRaw(url, asking)
    assertRawError(answers.at(-1), 'TooLargeEntity', tokenType)
  })

  test('SEC-71 the limit is exactly 64 KiB, whole or chunked', async () => {
    const blanks = (length: number) => Buffer.alloc(length, ' ')
    for (const [length, errorClass] of [
      [65_536, 'InvalidFormatError'],
      [65_537, 'TooLargeEntity'],
    ] as const) {
      assertError(await post(blanks(length)), errorClass, tokenType)
      const request = Buffer.concat([
        Buffer.from(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`),
        asChunk(blanks(length)),
        Buffer.from('0\r\n\r\n'),
      ])
      const { answers } = await sendRaw(url, request)
      assertRawError(answers[0], errorClass, tokenType)
    }
  })

  test('SEC-71 an endless body is rejected on routes without a body', async () => {
    const refuse = async (line: string) => {
      const socket = openSocket(url)
      const exchange = listen(socket, { patience: 1_000 })
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n`)
      socket.write('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
      socket.write(asChunk(piece))
      socket.write(asChunk(piece))
      const { answers } = await exchange
      assert.ok(answers[0] && answers[0].status >= 400 && answers[0].status < 500, line)
    }
    const lines = ['GET /healthz', 'DELETE /v3/auth/tokens', 'POST /nowhere', 'GET /metrics']
    await Promise.all(lines.map(refuse))
  })

  test('SEC-71, REL-13: a body shorter than its Content-Length is rejected', async () => {
    const socket = openSocket(url)
    const exchange = listen(socket)
    socket.end(`${head}Content-Length: 100\r\n\r\n{}`)
    const { closed, answers } = await exchange
    assert.ok(closed)
    assert.ok(answers.every(({ status }) => status === 400))
    assert.equal((await ask(url, '/healthz')).status, 200)
  })
})

describe('SEC-72, REL-14: bodies that are too complex', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`

  const refused: Record<string, readonly [string, 'InvalidFormatError' | 'InputParameterError']> = {
    'SEC-72 33 levels': [nested(33), 'InvalidFormatError'],
    'SEC-72 30,000 levels': [nested(30_000), 'InvalidFormatError'],
    'SEC-72 60,000 opening brackets': ['['.repeat(60_000), 'InvalidFormatError'],
    'SEC-72 33 levels inside a known key': [`{"auth":${nested(32)}}`, 'InvalidFormatError'],
    'SEC-72 1,001 keys': [keys(1_001), 'InvalidFormatError'],
    'SEC-72 a text past 8 KiB': [`{"auth":"${'x'.repeat(8_193)}"}`, 'InputParameterError'],
    'SEC-72 a key past 8 KiB': [`{"${'x'.repeat(8_193)}":1}`, 'InputParameterError'],
    'SEC-72 a key twice': ['{"auth":{},"auth":{}}', 'InputParameterError'],
    'SEC-72 a key twice, once in escapes': [
      String.raw`{"auth":{},"\u0061uth":{}}`,
      'InputParameterError',
    ],
    'RFC 8259 a byte order mark': ['\uFEFF{"auth":{}}', 'InvalidFormatError'],
    'RFC 8259 a number past 2^53': ['{"auth":9007199254740993}', 'InputParameterError'],
    'RFC 8259 a number that overflows': ['{"auth":1e999}', 'InputParameterError'],
    'ASVS 15.3.6 __proto__': ['{"__proto__":{"auth":{}}}', 'InputParameterError'],
    'ASVS 15.3.6 __proto__ inside': ['{"auth":{"__proto__":{}}}', 'InputParameterError'],
    'ASVS 15.3.6 constructor': ['{"constructor":{"prototype":{}}}', 'InputParameterError'],
    'NUL in a text': [String.raw`{"auth":"\u0000"}`, 'InputParameterError'],
    'NUL in a key': [String.raw`{"\u0000":1}`, 'InputParameterError'],
    'a lone surrogate': [String.raw`{"auth":"\ud800"}`, 'InputParameterError'],
    'two values': ['{}{}', 'InvalidFormatError'],
    'a comment': ['{/* */}', 'InvalidFormatError'],
    'only blanks': ['   ', 'InvalidFormatError'],
  }
  for (const [name, [body, errorClass]] of Object.entries(refused)) {
    test(`400: ${name}`, async () => {
      const error = assertError(await post(body), errorClass, tokenType)
      assert.ok(error.details.length < 20_000)
    })
  }

  test('400: bytes that are not UTF-8, in a text, in a key and alone', async () => {
    const wrap = (before: string, bytes: number[], after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8, 0x88]]) {
      for (const body of [
        wrap('{"auth":"', bytes, '"}'),
        wrap('{"', bytes, '":1}'),
        wrap('', bytes, ''),
      ]) {
        assertError(await post(body), 'InvalidFormatError', tokenType)
      }
    }
  })

  test('400: a body in another Unicode encoding', async () => {
    const utf16 = Buffer.from('{"auth":{}}', 'utf16le')
    assertError(await post(utf16), 'InvalidFormatError', tokenType)
    assertError(await post(Buffer.from(utf16).swap16()), 'InvalidFormatError', tokenType)
  })
})

describe('SEC-71 a body that is not read', () => {
  const heads = {
    'unknown route': 'POST /nope HTTP/1.1',
    'unsupported method': 'POST /v3/auth/projects HTTP/1.1',
    'no token': 'GET /v3/auth/projects HTTP/1.1',
  }
  for (const [name, head] of Object.entries(heads)) {
    test(`SEC-71 is not received forever: ${name}`, async () => {
      const socket = openSocket(platform.url)
      const exchange = listen(socket, { patience: 5_000 })
      socket.write(`${head}\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`)
      const sending = setInterval(() => socket.write('400\r\n' + 'a'.repeat(1_024) + '\r\n'), 20)
      const { closed, answers } = await exchange
      clearInterval(sending)
      assert.ok(closed)
      assert.equal(answers.length, 1)
    })
  }
})
