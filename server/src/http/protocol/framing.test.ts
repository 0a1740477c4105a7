import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRawError } from '../../testing/assert-error.ts'
import { sendRaw } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

let platform: TestPlatform
before(async () => {
  platform = await startPlatform({ flags: ['--login-failures-per-minute=0'] })
})
after(() => platform.close())

const body = '{"auth":{"identity":{"methods":["token"],"token":{"id":"mt1_none"}}}}'
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
const chunked = `${chunk}0\r\n\r\n`

const get = (...lines: string[]) =>
  ['GET /healthz HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n')
const post = (lines: readonly string[], content: string) =>
  [
    'POST /v3/auth/tokens HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    ...lines,
    '',
    content,
  ].join('\r\n')
const postLength = (...lengths: string[]) =>
  post(
    lengths.map((length) => `Content-Length:${length}`),
    body,
  )
const postCoding = (...codings: string[]) =>
  post(
    codings.map((coding) => `Transfer-Encoding:${coding}`),
    chunked,
  )
const postChunks = (content: string) => post(['Transfer-Encoding: chunked'], content)

/** Requests that two servers in a row could parse differently. */
const corpus: Record<string, string> = {
  'length and chunks': post(
    [`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked'],
    chunked,
  ),
  'chunks and length': post(
    ['Transfer-Encoding: chunked', `Content-Length: ${chunked.length}`],
    chunked,
  ),
  'chunks and a length of 0': post(['Content-Length: 0', 'Transfer-Encoding: chunked'], chunked),
  'two lengths': postLength(` ${body.length}`, ' 0'),
  'two identical lengths': postLength(` ${body.length}`, ` ${body.length}`),
  'a list of lengths': postLength(` ${body.length}, ${body.length}`),
  'a length with a sign': postLength(` +${body.length}`),
  'a negative length': postLength(' -1'),
  'a hexadecimal length': postLength(' 0x45'),
  'a length with an exponent': postLength(' 1e2'),
  'a length with a fraction': postLength(` ${body.length}.0`),
  'a length with a blank inside': postLength(' 6 9'),
  'an empty length': postLength(''),
  'a length that overflows': postLength(' 99999999999999999999999'),
  'a length in other digits': postLength(' \u00b2'),
  'a length after a vertical tab': postLength(`\x0b${body.length}`),
  'a blank before the colon of a length': post([`Content-Length : ${body.length}`], body),
  'a blank before the colon of a coding': post(['Transfer-Encoding : chunked'], chunked),
  'a coding of identity': postCoding(' identity'),
  'an unknown coding': postCoding(' xchunked'),
  'an empty coding': postCoding(''),
  'a quoted coding': postCoding(' "chunked"'),
  'a coding after a vertical tab': postCoding(' \x0bchunked'),
  'chunked not last': postCoding(' chunked, identity'),
  'chunked twice': postCoding(' chunked, chunked'),
  'chunked in two headers': postCoding(' chunked', ' chunked'),
  'chunked, then identity': postCoding(' chunked', ' identity'),
  'identity, then chunked': postCoding(' identity', ' chunked'),
  'an unsupported coding before chunked': postCoding(' gzip, chunked'),
  'a coding on GET': get('Transfer-Encoding: identity'),
  'a chunk size with 0x': postChunks(`0x${chunk}0\r\n\r\n`),
  'a negative chunk size': postChunks(`-1\r\n${body}\r\n0\r\n\r\n`),
  'a blank after the size of a chunk': postChunks(
    `${body.length.toString(16)} \r\n${body}\r\n0\r\n\r\n`,
  ),
  'a chunk size that overflows': postChunks(`fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`),
  'a chunk without a size': postChunks(`\r\n${body}\r\n0\r\n\r\n`),
  'a chunk longer than its size': postChunks(`2\r\n${body}\r\n0\r\n\r\n`),
  'chunks that end in a bare LF': postChunks(chunked.replaceAll('\r\n', '\n')),
  'a bare LF in the extension of a chunk': postChunks(`2;a\nb\r\n{}\r\n0\r\n\r\n`),
  'a bare CR in the extension of a chunk': postChunks(`2;a\rb\r\n{}\r\n0\r\n\r\n`),
  'an extension of 20 KB': postChunks(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  'a length in the trailer': postChunks(`${chunk}0\r\nContent-Length: 5\r\n\r\n`),
  'lines that end in a bare LF': get().replaceAll('\r\n', '\n'),
  'a request line that ends in a bare LF': get().replace('1.1\r\n', '1.1\n'),
  'a header that ends in a bare LF': get('X-A: b').replace('localhost\r\n', 'localhost\n'),
  'a header block that ends in a bare LF': get().replace(/\r\n$/, '\n'),
  'a bare CR in a header': get('X-A: a\rX-B: b'),
  'NUL in a header': get('X-A: a\0b'),
  'NUL in the name of a header': get('X\0A: b'),
  'a blank in the name of a header': get('X A: b'),
  'a header without a name': get(': b'),
  'a header without a colon': get('nonsense'),
  'a folded header': get('X-A: b', ' c'),
  'a header folded by a tab': get('X-A: b', '\tc'),
  'a folded length': post(['Content-Length:', ` ${body.length}`], body),
  'a folded coding': post(['Transfer-Encoding:', ' chunked'], chunked),
  'a first header that is folded': get().replace('Host', ' Host'),
  'a tab in the request line': get().replace(' /healthz ', '\t/healthz\t'),
  'a blank in the target': get().replace('/healthz', '/health z'),
  'NUL in the target': get().replace('/healthz', '/healthz\0'),
  'non-ASCII bytes in the target': get().replace('/healthz', '/healthz\u00e9'),
  'an unknown HTTP version': get().replace('1.1', '1.2'),
  'a version in lower case': get().replace('HTTP', 'http'),
  'the HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'TLS on a plain port': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
  nonsense: 'nonsense\r\n\r\n',
}

describe('ASVS 4.2.1 ambiguous framing', { concurrency: 8 }, () => {
  const smuggled = 'GET /v3 HTTP/1.1\r\nHost: localhost\r\n\r\n'

  for (const [name, request] of Object.entries(corpus)) {
    test(`400 and closed: ${name}`, async () => {
      const { answers, closed } = await sendRaw(platform.url, request + smuggled, {
        patience: 2_000,
      })
      assertRawError(
        answers[0],
        'InvalidFormatError',
        answers[0]?.headers['content-type'] === 'application/json' ? 'application/json' : undefined,
      )
      assert.equal(answers.length, 1, 'what followed was taken for a request')
      assert.ok(closed, 'the connection was left open')
      assert.equal(answers[0]?.headers['connection'], 'close')
    })
  }
})

describe('valid framing', () => {
  const good: Record<string, string> = {
    'a length': postLength(` ${body.length}`),
    'a length without a blank': postLength(String(body.length)),
    chunks: postCoding(' chunked'),
    'chunks in capitals': postCoding(' Chunked'),
    'chunks with extensions': postChunks(`${body.length.toString(16)};a=b\r\n${body}\r\n0\r\n\r\n`),
    'chunks of one byte': postChunks(
      `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    ),
    'an empty line before the request': `\r\n${postLength(` ${body.length}`)}`,
  }
  for (const [name, request] of Object.entries(good)) {
    test(`is answered, and so is the next request: ${name}`, async () => {
      const next = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
      const { answers } = await sendRaw(platform.url, request + next)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [401, 200],
      )
    })
  }

  test('the body of a rejected request is not parsed as the next request', async () => {
    const inside = 'DELETE /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const request = get(`Content-Length: ${inside.length}`, 'Content-Type: application/json')
    const next = 'GET /v3 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    const { answers } = await sendRaw(platform.url, request + inside + next)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 200],
    )
  })
})
