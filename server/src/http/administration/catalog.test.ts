import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CatalogService, EndpointDto, RegionDto, ServiceDto } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { createAdminClient, createContractClient } from '../../testing/contract-client.ts'
import { addTenant } from '../../testing/identity-world/add-tenant.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

describe('the catalog resources', () => {
  let platform: TestPlatform
  let admin: Awaited<ReturnType<typeof createAdminClient>>
  let catalog: CatalogService[]
  before(async () => {
    platform = await startPlatform({ flags: ['--region=north-1'] })
    admin = await createAdminClient(platform)
    const answer = await ask<{ catalog: CatalogService[] }>(platform.url, '/v3/auth/catalog', {
      token: admin.token,
    })
    catalog = answer.body.catalog
  })
  after(() => platform.close())

  test('lists the services of the catalog in a token', async () => {
    const { services } = await admin.get<{ services: ServiceDto[] }>('listServices')
    assert.deepEqual(
      services.map(({ id, name, type }) => ({ id, name, type })),
      catalog.map(({ id, name, type }) => ({ id, name, type })),
    )
    for (const service of services) {
      const path = { id: service.id }
      const shown = await admin.get<{ service: ServiceDto }>('getService', { path })
      assert.deepEqual(shown.service, service)
      assert.equal(service.links.self, `${platform.authUrl}/v3/services/${service.id}`)
    }
    for (const [query, count] of [
      ['type=identity', 1],
      ['name=keystone', 1],
      ['name=keystone&type=compute_v2', 0],
      ['name=nothing', 0],
    ] as const) {
      const found = await admin.get<{ services: ServiceDto[] }>('listServices', { query })
      assert.equal(found.services.length, count, query)
    }
  })

  test('lists the endpoints with their service and region', async () => {
    const { endpoints } = await admin.get<{ endpoints: EndpointDto[] }>('listEndpoints')
    assert.deepEqual(
      endpoints.map(({ id, url, service_id }) => ({ id, url, service_id })),
      catalog.flatMap((service) =>
        service.endpoints.map(({ id, url }) => ({ id, url, service_id: service.id })),
      ),
    )
    const [first] = endpoints as [EndpointDto]
    const shown = await admin.get<{ endpoint: EndpointDto }>('getEndpoint', {
      path: { id: first.id },
    })
    assert.deepEqual(shown.endpoint, first)
    const count = async (query: string) =>
      (await admin.get<{ endpoints: EndpointDto[] }>('listEndpoints', { query })).endpoints.length
    assert.equal(await count(`service_id=${first.service_id}`), 3)
    assert.equal(await count(`service_id=${first.service_id}&interface=public`), 1)
    assert.equal(await count('interface=admin'), 3)
    assert.equal(await count('region_id=north-1'), 9)
    assert.equal(await count('region_id=south'), 0)
    await admin.fail('InputParameterError', 'listEndpoints', { query: 'interface=private' })
  })

  test('lists the region', async () => {
    const { regions } = await admin.get<{ regions: RegionDto[] }>('listRegions')
    assert.deepEqual(
      regions.map(({ id, parent_region_id }) => [id, parent_region_id]),
      [['north-1', null]],
    )
    const { pathname } = new URL(regions[0]?.links.self ?? '')
    const shown = await ask<{ region: RegionDto }>(platform.url, pathname, { token: admin.token })
    assert.deepEqual(shown.body.region, regions[0])
    const none = await admin.get<{ regions: RegionDto[] }>('listRegions', {
      query: 'parent_region_id=north-1',
    })
    assert.deepEqual(none.regions, [])
  })

  test('requires a scoped token', async () => {
    const tenant = await addTenant(platform.database, 'Tenant')
    for (const role of ['domain_viewer', 'project_viewer'] as const) {
      const client = createContractClient(platform.url, (await tenant.person(role)).token)
      await client.get('listServices')
      await client.get('listEndpoints')
      await client.get('listRegions')
    }
    const { token } = await tenant.person(undefined)
    const client = createContractClient(platform.url, token)
    for (const operation of ['listServices', 'listEndpoints', 'listRegions'] as const) {
      await client.fail('ForbiddenError', operation)
    }
  })

  test('is read-only, and unknown ids are 404', async () => {
    for (const operation of ['getService', 'getEndpoint', 'getRegion'] as const) {
      await admin.fail('ResourceNotFoundError', operation, { path: { id: 'none' } })
    }
    for (const path of ['/v3/services', '/v3/endpoints', '/v3/regions']) {
      const answer = await ask(platform.url, path, { method: 'POST', token: admin.token, body: {} })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'])
    }
  })
})
