import type {
  CatalogService,
  EndpointDto,
  RegionDto,
  ServiceDto,
  catalogOperations,
} from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import type { HandlersFor } from '../register-operations.ts'
import { answerSlice, withoutPaging, type PagingParameters } from './pages.ts'

/** Operations on parts of the catalog. It depends on the settings only and is the same for all callers. */
export function createCatalogHandlers(
  catalog: readonly CatalogService[],
  authUrl: string,
): HandlersFor<typeof catalogOperations> {
  const links = (kind: string, id: string) => ({ links: { self: `${authUrl}/v3/${kind}/${id}` } })

  const services = catalog.map(({ id, name, type }): ServiceDto => ({
    id,
    name,
    type,
    description: '',
    enabled: true,
    ...links('services', id),
  }))
  const endpoints = catalog.flatMap((service) =>
    service.endpoints.map((endpoint): EndpointDto => ({
      ...endpoint,
      service_id: service.id,
      enabled: true,
      ...links('endpoints', endpoint.id),
    })),
  )
  const regions = [...new Set(endpoints.map(({ region_id }) => region_id))].map(
    (id): RegionDto => ({
      id,
      description: '',
      parent_region_id: null,
      ...links('regions', encodeURIComponent(id)),
    }),
  )

  const list = (key: string, things: readonly object[]) =>
    function listPieces({
      query,
      url,
    }: {
      readonly query: PagingParameters
      readonly url: string
    }) {
      const wanted = Object.entries(withoutPaging(query))
      const items = things.filter((thing) =>
        wanted.every(([name, value]) => (thing as Record<string, unknown>)[name] === value),
      )
      return answerSlice(key, items, query, authUrl + url)
    }

  const get = (key: string, things: readonly { readonly id: string }[]) =>
    function getPiece({ parameters: { id } }: { readonly parameters: { readonly id: string } }) {
      const thing = things.find((candidate) => candidate.id === id)
      if (!thing) throw new PlatformError('ResourceNotFoundError', `The ${key} does not exist.`)
      return { status: 200, body: { [key]: thing } }
    }

  return {
    listServices: list('services', services),
    getService: get('service', services),
    listEndpoints: list('endpoints', endpoints),
    getEndpoint: get('endpoint', endpoints),
    listRegions: list('regions', regions),
    getRegion: get('region', regions),
  }
}
