import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { consoleFolder } from '../../composition/console-folder.ts'
import { ask } from '../../testing/client.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

interface Version {
  id: string
  status: string
  links: { rel: string; href: string }[]
}

let platform: TestPlatform
let url: string
before(async () => {
  platform = await startPlatform()
  url = platform.url
})
after(() => platform.close())

describe('GET /v3', () => {
  test('is a version document in the Keystone format', async () => {
    const { status, body } = await ask<{ version: Version }>(url, '/v3')
    assert.equal(status, 200)
    assert.match(body.version.id, /^v3\.\d+$/)
    assert.equal(body.version.status, 'stable')
    assert.deepEqual(body.version.links, [{ rel: 'self', href: `${platform.authUrl}/v3/` }])
  })

  test('links to the token operation', async () => {
    const { body } = await ask<{ version: Version }>(url, '/v3')
    const [link] = body.version.links
    const answer = await fetch(`${link?.href}auth/tokens`, { method: 'POST' })
    await answer.text()
    assert.equal(answer.status, 400)
    assert.ok(answer.headers.get('x-muster-request-id'))
  })
})

describe('GET /', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

  test('returns 300 with versions and endpoints to an API client', async () => {
    for (const accept of ['application/json', '*/*', '', 'text/plain', 'application/xml']) {
      const { status, body, headers } = await ask<{
        versions: { values: Version[] }
        endpoints: { auth_url: string; base_url: string }
      }>(url, '/', { headers: { accept } })
      assert.equal(status, 300, accept)
      assert.equal(headers.get('content-type'), 'application/json; charset=UTF-8')
      assert.deepEqual(body.endpoints, {
        auth_url: platform.authUrl,
        base_url: platform.baseUrl,
      })
      const [version] = body.versions.values
      assert.equal(body.versions.values.length, 1)
      assert.deepEqual((await ask<{ version: Version }>(url, '/v3')).body.version, version)
    }
  })

  test('redirects a browser to an existing page', async () => {
    const { status, headers, text } = await ask(url, '/', { headers: { accept: browser } })
    assert.equal(status, 302)
    assert.equal(text, '')
    const target = new URL(headers.get('location') ?? '', url)
    assert.equal(target.origin, url)
    const page = await ask(url, target.pathname, { headers: { accept: browser } })
    // Without a built console the page says so.
    assert.equal(page.status, existsSync(join(consoleFolder, 'index.html')) ? 200 : 503)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  })

  test('never redirects to another host', async () => {
    const headers = {
      accept: browser,
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
    }
    const answer = await ask(url, '/', { headers })
    assert.ok(!answer.headers.get('location')?.includes('evil.test'))
  })

  test('sends Vary: Accept', async () => {
    for (const accept of ['*/*', browser]) {
      const { headers } = await ask(url, '/', { headers: { accept } })
      assert.match(headers.get('vary') ?? '', /accept/i)
    }
  })
})
