import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  gatewayOperations,
  operations,
  type CatalogService,
  type ErrorBody,
  type OpenApiDocument,
} from '@muster/contract'
import { createCacheMemory } from '../../domain/cache.ts'
import { createLogger } from '../../log.ts'
import { ask } from '../../testing/client.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { createApp, type AppUseCases } from '../app.ts'
import { registerGateway } from '../gateway/register-gateway.ts'

let platform: TestPlatform
let document: OpenApiDocument
before(async () => {
  platform = await startPlatform()
  const { body } = await ask<OpenApiDocument>(platform.url, '/openapi.json')
  document = body
})
after(() => platform.close())

/**
 * The routes that are mounted in the framework, as `GET /v3`, without the HEAD that comes with each GET
 * and the PATCH that comes with each PUT under /v3.
 */
async function mountedRoutes(): Promise<string[]> {
  const origin = 'http://127.0.0.1'
  const logger = createLogger('silent', { write: () => {} })
  const { app } = createApp(
    {
      authUrl: origin,
      baseUrl: origin,
      publicUrl: origin,
      allowedHosts: [],
      isLoopback: true,
      platformName: 'muster',
      homePage: '/docs',
      mcpActions: false,
      requestsPerMinute: 0,
      trustedProxies: [],
      tls: undefined,
      clock: Date.now,
      memory: createCacheMemory(0),
      logger,
      accessLog: { logger, interval: 0 },
    },
    { catalog: [] as readonly CatalogService[], administration: {} } as AppUseCases,
    operations,
  )
  registerGateway(app, () => Promise.reject(new Error('nobody comes')))
  await app.ready()
  const tree = app.printRoutes({ commonPrefix: false })
  await app.close()
  return readTree(tree)
}

/** Fastify prints its routes as a tree, each branch with the rest of its path and its methods. */
function readTree(tree: string): string[] {
  const routes: string[] = []
  const branch: string[] = []
  for (const line of tree.split('\n')) {
    const [, indent = '', rest = '', methods = ''] =
      /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? []
    if (rest === '') continue
    const depth = indent.length / 4
    branch.length = depth
    branch.push(rest)
    const names = methods.split(', ').filter((name) => name !== '')
    for (const name of names) routes.push(`${name} ${branch.join('')}`)
  }
  const all = new Set(routes)
  return routes.filter((route) => {
    if (route.startsWith('PATCH /v3/')) return !all.has(route.replace('PATCH', 'PUT'))
    const isImplied = route.startsWith('HEAD ') && all.has(route.replace('HEAD', 'GET'))
    return !isImplied || route === 'HEAD /v3/auth/tokens'
  })
}

/**
 * The API behind the gateway (`/api/*`), the files of the console and `POST /mcp`, which are not
 * operations. The framework prints a `*` without its prefix.
 */
const undocumented = /^\w+ \/(?:\*|console\*?|mcp)$/

const documented = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )

describe('API9 the OpenAPI document and the routes', () => {
  test('API9 every documented operation is mounted and vice versa', async () => {
    const mounted = (await mountedRoutes()).map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
    const own = mounted.filter((route) => !undocumented.test(route))
    assert.deepEqual(own.sort(), documented().sort())
    assert.equal(own.length, operations.length + gatewayOperations.length)
  })

  test('API9 every documented operation is served', async () => {
    for (const route of documented()) {
      const [method = '', path = ''] = route.split(' ')
      const address = path.replaceAll(/\{\w+\}/g, 'none')
      const { status, body } = await ask<ErrorBody | undefined>(platform.url, address, { method })
      const isUnknown = body?.class === 'NotFoundError' || (status === 404 && method === 'HEAD')
      assert.ok(!isUnknown && status !== 405, `${route}: ${status}`)
    }
  })

  test('the document contains the requested address', () => {
    assert.deepEqual(document.servers, [{ url: platform.baseUrl }])
    assert.equal(platform.baseUrl, platform.url)
  })

  test('a process without a gateway documents none', async (t) => {
    const other = await startPlatform({ flags: ['--roles=identity,platform'] })
    t.after(() => other.close())
    const { body } = await ask<OpenApiDocument>(other.url, '/openapi.json')
    assert.ok(!body.tags.some(({ name }) => name === 'Sessions'))
    assert.ok(document.tags.some(({ name }) => name === 'Sessions'))
  })

  test('a process without the identity API neither serves nor documents it', async () => {
    const other = await startPlatform({ flags: ['--roles=platform'] })
    try {
      const { body } = await ask<OpenApiDocument>(other.url, '/openapi.json')
      assert.deepEqual(
        Object.keys(body.paths).filter((path) => path.startsWith('/v3')),
        [],
      )
      for (const path of ['/v3', '/v3/auth/tokens', '/v3/auth/projects', '/v3/users']) {
        assert.equal((await ask(other.url, path)).status, 404, path)
      }
      assert.equal((await ask(other.url, '/healthz')).status, 200)
      assert.equal((await ask(other.url, '/events')).status, 401)
    } finally {
      await other.close()
    }
  })
})
