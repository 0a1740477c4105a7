import { listOf, textOf, type Json } from '../shared/json.ts'

interface Endpoint {
  readonly serviceId: string
  readonly serviceType: string
  readonly region: string
  readonly url: string
}

/** The endpoints of one interface, such as `public`. */
export type Catalog = readonly Endpoint[]

/** Services by the types that catalogs have for them, and the version that belongs to their paths. */
const services = {
  compute: { types: ['compute'], version: '' },
  network: { types: ['network'], version: '/v2.0' },
  volume: { types: ['volumev3', 'block-storage', 'volume'], version: '' },
  image: { types: ['image'], version: '/v2' },
} as const
export type ServiceName = keyof typeof services

export const readCatalog = (token: Json, interfaceName: string): Catalog =>
  listOf(token, 'catalog').flatMap((service) =>
    listOf(service, 'endpoints')
      .filter((endpoint) => textOf(endpoint, 'interface') === interfaceName)
      .map((endpoint) => ({
        serviceId: textOf(service, 'id'),
        serviceType: textOf(service, 'type'),
        region: textOf(endpoint, 'region_id') || textOf(endpoint, 'region'),
        url: textOf(endpoint, 'url').replace(/(?<!\/)\/+$/, ''),
      })),
  )

const isCompute = ({ serviceType }: Endpoint) => serviceType === 'compute'

/** The regions that have the compute service. */
export const regionsOf = (catalog: Catalog): string[] => [
  ...new Set(catalog.filter(isCompute).map(({ region }) => region)),
]

/** The id of the compute service: the same for all projects and addresses of a cloud. */
export const cloudOf = (catalog: Catalog, region: string): string =>
  catalog.filter(isCompute).find((endpoint) => endpoint.region === region)?.serviceId ?? ''

/** The address of a service in a region; undefined if the catalog has none. */
export function endpointOf(
  catalog: Catalog,
  service: ServiceName,
  region: string,
): string | undefined {
  const { types, version } = services[service]
  const inRegion = catalog.filter((endpoint) => endpoint.region === region)
  // The first type wins: a catalog may list an older version of a service as well.
  const url = types
    .map((type) => inRegion.find(({ serviceType }) => serviceType === type)?.url)
    .find((found) => found !== undefined)
  return url === undefined || url.endsWith(version) ? url : `${url}${version}`
}
