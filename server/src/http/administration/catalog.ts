import {
  endpoints as endpointFields,
  regions as regionFields,
  services as serviceFields,
  type CatalogService,
  type EndpointDto,
  type RegionDto,
  type ServiceDto,
  type catalogOperations,
} from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import { narrowScope } from '../../domain/identity/choose-scope.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import type { HandlersFor } from '../register-operations.ts'
import { answerInMemory, type KeystoneParameters } from './pages.ts'

interface ListCall {
  readonly caller: Caller
  readonly query: KeystoneParameters
  readonly url: string
}

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

  const list = <Field extends string>(
    key: string,
    fields: QueryFields<Field>,
    things: readonly Readonly<Record<Field, unknown>>[],
    idField: Field,
  ) =>
    async function listPieces({ caller, query, url }: ListCall) {
      narrowScope(caller, query.scope)
      return await answerInMemory(key, fields, things, {
        parameters: query,
        url: authUrl + url,
        idField,
      })
    }

  const get = (key: string, things: readonly { readonly id: string }[]) =>
    function getPiece({ parameters: { id } }: { readonly parameters: { readonly id: string } }) {
      const thing = things.find((candidate) => candidate.id === id)
      if (!thing) throw new PlatformError('ResourceNotFoundError', `The ${key} does not exist.`)
      return { status: 200, body: { [key]: thing } }
    }

  return {
    listServices: list('services', queryFieldsOf(serviceFields), services, 'id'),
    getService: get('service', services),
    listEndpoints: list('endpoints', queryFieldsOf(endpointFields), endpoints, 'id'),
    getEndpoint: get('endpoint', endpoints),
    listRegions: list('regions', queryFieldsOf(regionFields), regions, 'id'),
    getRegion: get('region', regions),
  }
}
