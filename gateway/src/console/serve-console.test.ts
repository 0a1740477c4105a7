import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ask } from '../../../server/src/testing/client.ts'
import { askRaw } from '../../../server/src/testing/raw-socket.ts'
import { startPlatform } from '../../../server/src/testing/start-platform.ts'
import type { Exchange } from '../exchange.ts'
import { createOwnOrigin } from '../own-origin.ts'
import { createConsole } from './serve-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-console-'))
after(() => rmSync(folder, { recursive: true }))

const createError = (errorClass: string) => new Error(errorClass)

/** Asks a console for a path, as a browser with these headers. */
function createAsker(consoleFolder: string, publicUrl?: string) {
  const ownOrigin = createOwnOrigin(publicUrl)
  const serve = createConsole({ consoleFolder, ownOrigin, createError })
  return async (url: string, headers: Record<string, string> = {}) => {
    const added = new Headers()
    const exchange: Exchange = {
      id: 'one',
      method: 'GET',
      url,
      headers,
      ip: '127.0.0.1',
      protocol: 'http',
      host: 'localhost',
      body: undefined,
      signal: new AbortController().signal,
      addHeader: (name, value) => added.append(name, value),
    }
    const answer = await serve(exchange)
    for (const [name, value] of Object.entries(answer.headers ?? {})) added.set(name, value)
    return {
      status: answer.status,
      headers: added,
      text: (answer.body as Buffer | undefined)?.toString() ?? '',
    }
  }
}

describe('the console', () => {
  test('explains how to build it, and is served once it is built', async () => {
    const get = createAsker(folder)
    const before = await get('/console/')
    assert.equal(before.status, 503)
    assert.match(before.text, /not built.*npm/s)
    assert.equal(before.headers.get('cache-control'), 'no-store')

    mkdirSync(join(folder, 'assets'), { recursive: true })
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>built</title>')
    writeFileSync(join(folder, 'theme.js'), 'theme()')
    writeFileSync(join(folder, 'assets/main-abc123.js'), 'main()')
    writeFileSync(join(folder, 'assets/main-abc123.js.br'), 'smallest')
    writeFileSync(join(folder, 'assets/main-abc123.js.gz'), 'small')
    writeFileSync(join(folder, 'assets/main-abc123.js.map'), 'secret')
    writeFileSync(join(folder, '.built'), 'stamp')
    assert.match((await get('/console/')).text, /built<\/title>/)
  })

  test('has one page for every path that is not a file', async () => {
    const get = createAsker(folder)
    for (const path of [
      '/console/',
      '/console/servers',
      '/console/servers/one/network?q=a.b',
      '/console/servers/web-01.example.org',
      '/console/accounts/eu.prod.js',
      '/console/nothing.js',
      '/console/.built',
      '/console/../package.json',
      '/console/..%2fpackage.json',
      '/console//etc/passwd.txt',
      '/console/__proto__',
      '/console/C:\\boot.ini',
    ]) {
      const { status, headers, text } = await get(path)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-cache')
      assert.match(text, /built<\/title>/)
    }
    assert.equal((await get('/console')).headers.get('location'), '/console/')
  })

  test('caches files with a content hash forever, and revalidates all others', async () => {
    const get = createAsker(folder)
    const hashed = await get('/console/assets/main-abc123.js')
    assert.equal(hashed.text, 'main()')
    assert.equal(hashed.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(hashed.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    const theme = await get('/console/theme.js')
    assert.equal(theme.headers.get('cache-control'), 'no-cache')
    const etag = theme.headers.get('etag') ?? ''
    const again = await get('/console/theme.js', { 'if-none-match': `"other", ${etag}` })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('is compressed if the client accepts it', async () => {
    const get = createAsker(folder)
    const path = '/console/assets/main-abc123.js'
    const cases = {
      'gzip, deflate, br': ['br', 'smallest'],
      gzip: ['gzip', 'small'],
      'br;q=0, gzip': ['gzip', 'small'],
      identity: [null, 'main()'],
    } as const
    const etags = new Set<string | null>()
    for (const [accepted, [coding, text]] of Object.entries(cases)) {
      const answer = await get(path, { 'accept-encoding': accepted })
      assert.equal(answer.headers.get('content-encoding'), coding, accepted)
      assert.equal(answer.text, text)
      assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
      etags.add(answer.headers.get('etag'))
    }
    assert.equal(etags.size, 3)
  })

  test('serves no other files, whatever the path', async () => {
    const get = createAsker(folder)
    for (const path of [
      'nothing.js',
      'main-abc123.js.br',
      'main-abc123.js.map',
      '../index.html',
      '..%2findex.html',
      '__proto__',
    ]) {
      await assert.rejects(get(`/console/assets/${path}`), { message: 'NotFoundError' }, path)
    }
  })

  test('SEC-53 allows only its own scripts and no frames', async () => {
    const { headers } = await createAsker(folder)('/console/servers')
    const policy = headers.get('content-security-policy') ?? ''
    const rules = new Map(
      policy.split('; ').map((rule) => {
        const [name = '', ...sources] = rule.split(' ')
        return [name, sources.join(' ')]
      }),
    )
    const loaded = ['script', 'style', 'font', 'connect', 'worker', 'img', 'object', 'frame']
    assert.deepEqual(
      loaded.map((kind) => rules.get(`${kind}-src`) ?? rules.get('default-src')),
      [...Array.from({ length: 5 }, () => "'self'"), "'self' data:", "'none'", "'none'"],
    )
    assert.deepEqual(
      ['base-uri', 'frame-ancestors', 'form-action'].map((name) => rules.get(name)),
      ["'none'", "'none'", "'self'"],
    )
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('strict-transport-security'), null)
    const secure = await createAsker(folder, 'https://muster.example')('/console/')
    assert.match(secure.headers.get('strict-transport-security') ?? '', /max-age=31536000/)
  })

  test('SEC-53 has these headers on every response, errors included', async (t) => {
    const platform = await startPlatform()
    t.after(() => platform.close())
    for (const path of [
      '/console/',
      '/console/servers',
      '/console/assets/<script>alert(1)</script>.js',
    ]) {
      const { headers, status, text } = await ask(platform.url, encodeURI(path))
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.ok(!text.includes('alert(1)'))
      assert.ok(status === 200 || status === 404 || status === 503)
    }
    const host = `Host: ${new URL(platform.url).host}`
    const raw = await askRaw(platform.url, ['GET /console/../server/package.json HTTP/1.1', host])
    assert.notEqual(raw.status, 500)
    assert.ok(!raw.body.includes('"name"'))
    const home = await ask(platform.url, '/', { headers: { accept: 'text/html' } })
    assert.equal(home.headers.get('location'), '/console/')
    assert.equal((await ask(platform.url, '/console/', { method: 'POST' })).status, 404)
  })
})
