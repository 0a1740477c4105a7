import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { brotliDecompressSync, constants, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { contentCodings } from '@muster/contract'
import { adminPassword } from '../../testing/start-platform.ts'
import { passwordIdentity, systemProject } from '../../testing/client.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { sampleInputs } from '../../testing/lanes.ts'
import { compress } from '../compress.ts'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
/** Decodes an incomplete stream. */
const partial = {
  gzip: constants.Z_SYNC_FLUSH,
  br: constants.BROTLI_OPERATION_FLUSH,
  zstd: constants.ZSTD_e_flush,
}
/** The response headers that describe the content. */
const contentHeaders = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'vary',
] as const

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

describe('compressed responses', () => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld('sqlite', { servers: 60 })
  })
  after(() => fleet.platform.close())

  /** The raw bytes, not decoded. */
  async function send(
    path: string,
    headers: Record<string, string> = {},
    { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {},
  ): Promise<Answer> {
    const token = fleet.callers.auditor.token
    const type = body && { 'content-type': 'application/json' }
    const sent = request(fleet.url + path, {
      method,
      headers: { 'x-auth-token': token, ...type, ...headers },
    })
    sent.end(body && JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const bytes = await buffer(response)
    return { status: response.statusCode ?? 0, headers: response.headers, bytes }
  }
  const accept = (coding: string) => ({ 'accept-encoding': coding })

  const page = '/servers?scope=system&details=true&with_meta=true&limit=30'
  const compressed = [page, '/v3/roles', '/docs/reference.js', '/openapi.json', '/events?limit=200']
  const streams = ['csv', 'ndjson'].map((format) => `${page}&format=${format}`)

  test('JSON, JavaScript, CSV and NDJSON are compressed in each coding and decode to the same bytes', async () => {
    for (const [at, path] of [...compressed, ...streams].entries()) {
      const plain = await send(path)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.match(plain.headers.vary ?? '', /\bAccept-Encoding$/)
      for (const coding of sampleInputs(contentCodings, at)) {
        const { status, headers, bytes } = await send(path, accept(coding))
        assert.deepEqual([status, headers['content-encoding']], [200, coding], path)
        assert.equal(headers.vary, plain.headers.vary)
        assert.equal(headers['content-type'], plain.headers['content-type'])
        assert.ok(bytes.length < plain.bytes.length / 2, `${path} ${coding} ${bytes.length}`)
        // The audit log is left out: other tests add logins meanwhile.
        if (!path.startsWith('/events'))
          assert.ok(decoders[coding](bytes).equals(plain.bytes), path)
        if (!streams.includes(path)) assert.equal(Number(headers['content-length']), bytes.length)
      }
    }
  })

  test('only clients that accept a coding get one', async () => {
    for (const coding of ['*', 'identity', 'gzip;q=0', 'deflate', '']) {
      for (const path of [page, ...streams]) {
        const { headers } = await send(path, accept(coding))
        assert.equal(headers['content-encoding'], undefined, coding)
      }
    }
  })

  test('only responses over 1 kB are compressed', async () => {
    const small = ['/servers?limit=0', '/v3', '/servers?format=csv&name=nobody&field=name']
    for (const path of small) {
      const { status, headers, bytes } = await send(path, accept('gzip'))
      assert.deepEqual([status, headers['content-encoding']], [200, undefined], path)
      assert.ok(bytes.length < 1_024)
    }
  })

  test('responses with a token or a secret are not compressed', async () => {
    const auth = { identity: passwordIdentity('sysadmin', adminPassword), scope: systemProject }
    const login = { method: 'POST', body: { auth } }
    const issued = await send('/v3/auth/tokens', accept('gzip'), login)
    const token = String(issued.headers['x-subject-token'])
    const validated = await send('/v3/auth/tokens', {
      ...accept('gzip'),
      'x-auth-token': token,
      'x-subject-token': token,
    })
    const { project } = (
      JSON.parse(issued.bytes.toString()) as { token: { project: { Id: string } } }
    ).token
    const credential = { type: 'aksk', project_id: project.Id, name: 'a'.repeat(200) }
    const key = await send(
      '/v3/credentials',
      { ...accept('gzip'), 'x-auth-token': token },
      { method: 'POST', body: { credential } },
    )
    const session = await send(
      '/api/session',
      { ...accept('gzip'), origin: fleet.url },
      { method: 'POST', body: { name: 'sysadmin', password: adminPassword } },
    )
    const answers = { issued, validated, key, session }
    for (const [name, { status, headers, bytes }] of Object.entries(answers)) {
      assert.ok(status === 200 || status === 201, `${name} ${status} ${bytes.toString()}`)
      assert.equal(headers['content-encoding'], undefined, name)
    }
    assert.ok(session.bytes.length > 1_024 && issued.bytes.length > 1_024)
  })

  test('each coding has an ETag, and any of them gives a 304', async () => {
    for (const path of [page, '/openapi.json']) {
      const codings = ['identity', ...contentCodings]
      const tags: string[] = []
      for (const coding of codings) {
        tags.push(String((await send(path, accept(coding))).headers.etag))
      }
      assert.equal(new Set(tags).size, codings.length)
      for (const coding of codings) {
        for (const tag of tags) {
          const known = await send(path, { ...accept(coding), 'if-none-match': `"x", W/${tag}` })
          assert.deepEqual([known.status, known.bytes.length, known.headers.etag], [304, 0, tag])
          assert.equal(known.headers['content-encoding'], undefined)
          assert.match(known.headers.vary ?? '', /\bAccept-Encoding$/)
        }
      }
    }
  })

  test('HEAD has the same headers', async () => {
    for (const path of [page, '/openapi.json', '/v3/roles']) {
      for (const coding of ['identity', 'zstd']) {
        const [get, head] = [
          await send(path, accept(coding)),
          await send(path, accept(coding), { method: 'HEAD' }),
        ]
        assert.equal(head.bytes.length, 0)
        for (const name of contentHeaders) assert.equal(head.headers[name], get.headers[name], name)
      }
    }
  })

  test('a repeated request uses the cached compressed response', async () => {
    const first = await send(`${page}&order_by=name`, accept('br'))
    for (let time = 0; time < 4; time += 1) {
      const again = await send(`${page}&order_by=name`, accept('br'))
      assert.ok(again.bytes.equals(first.bytes))
      for (const name of contentHeaders) assert.equal(again.headers[name], first.headers[name])
      const plain = await send(`${page}&order_by=name`)
      assert.ok(decoders.br(again.bytes).equals(plain.bytes))
    }
  })
})

describe('the compressor', () => {
  const outcome = { status: 200, headers: { etag: '"abc"' } }
  const text = Buffer.from('all work and no play '.repeat(200))

  test('stream: waits for the reader and stops with it', async () => {
    let produced = 0
    let over = Promise.withResolvers<void>()
    async function* endless() {
      try {
        for (;;) {
          produced += 1
          // Incompressible, so that it does not fit into the buffers.
          yield Buffer.from(Array.from({ length: 65_536 }, () => Math.random() * 256))
        }
      } finally {
        over.resolve()
      }
    }
    for (const coding of contentCodings) {
      produced = 0
      over = Promise.withResolvers<void>()
      const { body } = await compress({ ...outcome, body: endless() }, coding)
      assert.ok(body instanceof Readable)
      await once(body, 'readable')
      for (let before = -1; before < produced;) {
        before = produced
        for (let turns = 0; turns < 50; turns += 1) await turn()
      }
      assert.ok(produced < 20, `${produced} chunks for nobody`)
      body.destroy()
      await over.promise
    }
  })

  test('stream: flushes chunk by chunk', async () => {
    async function* halting() {
      yield text
      await new Promise(() => {})
    }
    for (const coding of contentCodings) {
      const { body } = await compress({ ...outcome, body: halting() }, coding)
      const chunks: Buffer[] = []
      // The second chunk is never sent, so only flushing delivers the first.
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        const read = decoders[coding](Buffer.concat(chunks), { finishFlush: partial[coding] })
        if (read.equals(text)) break
      }
    }
  })

  test('stream: aborts the response when the source fails', async () => {
    async function* failing() {
      yield text
      throw new Error('the storage is gone')
    }
    const { body } = await compress({ ...outcome, body: failing() }, 'gzip')
    await assert.rejects(buffer(body as Readable), /the storage is gone/)
  })
})
