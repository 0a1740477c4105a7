import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CatalogService } from '@muster/contract'
import {
  ask,
  loginAdmin,
  requestToken,
  systemProject,
  tokenIdentity,
} from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { startPlatform } from '../../testing/start-platform.ts'

/** Placeholders of several template languages. */
const templates = [
  '%(admin_token)s',
  '$(tenant_id)s',
  '%(user_id)s',
  '${HOME}',
  '${env:MUSTER_ADMIN_PASSWORD}',
  '{{secret}}',
  '{{config.adminPassword}}',
  '<%=7*7%>',
  '$&',
  '$1',
  '$`',
]
const address = `http://muster.test/${templates.join('/')}`

/** One endpoint of each kind, by the name of its service. */
const addressesIn = (catalog: readonly CatalogService[]) =>
  Object.fromEntries(
    catalog.map(({ name, endpoints }) => [name, [...new Set(endpoints.map(({ url }) => url))]]),
  )

async function readAddresses(authUrl: string, baseUrl: string) {
  const platform = await startPlatform({
    flags: [`--auth-url=${authUrl}`, `--base-url=${baseUrl}`],
  })
  try {
    const { url } = platform
    const token = await loginAdmin(url)
    const issued = await requestToken(url, { identity: tokenIdentity(token), scope: systemProject })
    const { body: shown } = await ask<{ catalog: CatalogService[] }>(url, '/v3/auth/catalog', {
      token,
    })
    assert.deepEqual(shown.catalog, issued.body.token.catalog)
    const { body: version } = await ask<{ version: { links: { href: string }[] } }>(url, '/v3')
    const { body: root } = await ask<{ endpoints: object }>(url, '/')
    const refused = await ask(url, '/v3/auth/projects')
    assertError(refused, 'UnauthorizedError')
    return {
      catalog: addressesIn(shown.catalog),
      self: version.version.links[0]?.href,
      endpoints: root.endpoints,
      challenge: refused.headers.get('www-authenticate'),
    }
  } finally {
    await platform.close()
  }
}

describe('SEC-17 addresses in the catalog', () => {
  test('SEC-17 are literal and not expanded as templates', async () => {
    const seen = await readAddresses(address, `${address}/base`)
    assert.deepEqual(seen, {
      catalog: {
        keystone: [`${address}/v3`],
        log: [`${address}/base`],
        region2: [`${address}/base`],
      },
      self: `${address}/v3/`,
      endpoints: { auth_url: address, base_url: `${address}/base` },
      challenge: `Keystone uri="${address}"`,
    })
  })

  test('do not depend on the Host of a request', async () => {
    const platform = await startPlatform()
    try {
      const headers = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' }
      const { text } = await ask(platform.url, '/', { headers })
      assert.ok(!text.includes('evil.test'))
      assert.ok(text.includes(platform.url))
    } finally {
      await platform.close()
    }
  })
})
