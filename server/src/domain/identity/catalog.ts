import { createHash } from 'node:crypto'
import type { CatalogService } from '@muster/contract'

interface Addresses {
  readonly authUrl: string
  readonly baseUrl: string
  readonly region: string
}

/** Derived from the names, so that every process returns the same ids. */
const derivedId = (...parts: string[]) =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)

/** The services that a token's holder can use. Cloudpods' clients look for exactly these types. */
export function createCatalog({ authUrl, baseUrl, region }: Addresses): CatalogService[] {
  const service = (type: string, name: string, url: string): CatalogService => ({
    id: derivedId('service', type),
    name,
    type,
    endpoints: ['public', 'internal', 'admin'].map((access) => ({
      id: derivedId('endpoint', type, access, region),
      interface: access,
      name,
      region,
      region_id: region,
      url,
    })),
  })
  return [
    service('identity', 'keystone', `${authUrl}/v3`),
    service('compute_v2', 'region2', baseUrl),
    service('log', 'log', baseUrl),
  ]
}
