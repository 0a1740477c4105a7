import { Type, type Static } from 'typebox'
import { shortListParameters } from '../client-parameters.ts'
import type { Operation } from '../operation.ts'
import { Links, SelfLink } from '../resource.ts'
import { exactObject, Name, sameType } from '../scalars.ts'
import { example } from './examples.ts'

const text = Type.String()

export const ServiceView = exactObject({
  ...sameType(['id', 'name', 'type', 'description'], text),
  enabled: Type.Literal(true),
  links: SelfLink,
})
export type ServiceView = Static<typeof ServiceView>

export const EndpointView = exactObject({
  ...sameType(['id', 'interface', 'name', 'service_id', 'region', 'region_id', 'url'], text),
  enabled: Type.Literal(true),
  links: SelfLink,
})
export type EndpointView = Static<typeof EndpointView>

export const RegionView = exactObject({
  id: text,
  description: text,
  parent_region_id: Type.Null(),
  links: SelfLink,
})
export type RegionView = Static<typeof RegionView>

const serviceId = '3d6f9b2c5e8141a4b7d0c3f6e9a2b5d8'
const endpointId = '0c2f0b1a9e8d4f7c6b5a493827160f1e'

const serviceExample = {
  id: serviceId,
  name: 'keystone',
  type: 'identity',
  description: '',
  enabled: true,
  links: { self: example.self('services', serviceId) },
}
const endpointExample = {
  id: endpointId,
  interface: 'public',
  name: 'keystone',
  service_id: serviceId,
  region: 'region0',
  region_id: 'region0',
  url: 'http://127.0.0.1:8400/v3',
  enabled: true,
  links: { self: example.self('endpoints', endpointId) },
}
const regionExample = {
  id: 'region0',
  description: '',
  parent_region_id: null,
  links: { self: example.self('regions', 'region0') },
}

const common = { method: 'GET', access: 'token', tag: 'Catalog' } as const
const need = <const Resource extends string, const Action extends 'list' | 'get'>(
  resource: Resource,
  action: Action,
) => ({ service: 'identity', resource, action, at: ['system', 'domain', 'project'] }) as const

/** What the catalog of a token is made of, one by one. It comes from the settings: it is only read. */
export const catalogOperations = [
  {
    id: 'listServices',
    ...common,
    path: '/v3/services',
    needs: need('services', 'list'),
    summary: 'List the services',
    query: exactObject({
      name: Type.Optional(Name),
      type: Type.Optional(Name),
      ...shortListParameters,
    }),
    answers: {
      200: {
        description: 'The services',
        body: exactObject({ services: Type.Array(ServiceView), links: Links }),
        example: example.list('services', '/v3/services', serviceExample),
      },
    },
  },
  {
    id: 'getService',
    ...common,
    path: '/v3/services/{id}',
    needs: need('services', 'get'),
    summary: 'Show a service',
    answers: {
      200: {
        description: 'Here it is',
        body: exactObject({ service: ServiceView }),
        example: { service: serviceExample },
      },
    },
  },
  {
    id: 'listEndpoints',
    ...common,
    path: '/v3/endpoints',
    needs: need('endpoints', 'list'),
    summary: 'List the endpoints',
    query: exactObject({
      interface: Type.Optional(Type.Enum(['public', 'internal', 'admin'])),
      service_id: Type.Optional(Name),
      region_id: Type.Optional(Name),
      ...shortListParameters,
    }),
    answers: {
      200: {
        description: 'The endpoints',
        body: exactObject({ endpoints: Type.Array(EndpointView), links: Links }),
        example: example.list('endpoints', '/v3/endpoints', endpointExample),
      },
    },
  },
  {
    id: 'getEndpoint',
    ...common,
    path: '/v3/endpoints/{id}',
    needs: need('endpoints', 'get'),
    summary: 'Show an endpoint',
    answers: {
      200: {
        description: 'Here it is',
        body: exactObject({ endpoint: EndpointView }),
        example: { endpoint: endpointExample },
      },
    },
  },
  {
    id: 'listRegions',
    ...common,
    path: '/v3/regions',
    needs: need('regions', 'list'),
    summary: 'List the regions',
    query: exactObject({ parent_region_id: Type.Optional(Name), ...shortListParameters }),
    answers: {
      200: {
        description: 'The regions',
        body: exactObject({ regions: Type.Array(RegionView), links: Links }),
        example: example.list('regions', '/v3/regions', regionExample),
      },
    },
  },
  {
    id: 'getRegion',
    ...common,
    path: '/v3/regions/{id}',
    needs: need('regions', 'get'),
    summary: 'Show a region',
    answers: {
      200: {
        description: 'Here it is',
        body: exactObject({ region: RegionView }),
        example: { region: regionExample },
      },
    },
  },
] as const satisfies readonly Operation[]
