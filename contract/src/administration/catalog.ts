import { Type, type Static } from 'typebox'
import { shortListParameters } from '../paging.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { Links, SelfLink } from '../resource.ts'
import { exactObject, Name, sameType } from '../scalars.ts'
import { example } from './examples.ts'

const text = Type.String()

export const ServiceDto = exactObject({
  ...sameType(['id', 'name', 'type', 'description'], text),
  enabled: Type.Literal(true),
  links: SelfLink,
})
export type ServiceDto = Static<typeof ServiceDto>

export const EndpointDto = exactObject({
  ...sameType(['id', 'interface', 'name', 'service_id', 'region', 'region_id', 'url'], text),
  enabled: Type.Literal(true),
  links: SelfLink,
})
export type EndpointDto = Static<typeof EndpointDto>

export const RegionDto = exactObject({
  id: text,
  description: text,
  parent_region_id: Type.Null(),
  links: SelfLink,
})
export type RegionDto = Static<typeof RegionDto>

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

const common = { method: 'GET', ...identityDefaults, tag: 'Catalog' } as const
const permission = <const Resource extends string, const Action extends 'list' | 'get'>(
  resource: Resource,
  action: Action,
) => ({ service: 'identity', resource, action, at: ['system', 'domain', 'project'] }) as const

/** The entries of the service catalog. They follow from the settings and are read-only. */
export const catalogOperations = [
  {
    id: 'listServices',
    ...common,
    path: '/v3/services',
    permission: permission('services', 'list'),
    summary: 'List services',
    query: exactObject({
      name: Type.Optional(Name),
      type: Type.Optional(Name),
      ...shortListParameters,
    }),
    responses: {
      200: {
        description: 'Services',
        body: exactObject({ services: Type.Array(ServiceDto), links: Links }),
        example: example.list('services', '/v3/services', serviceExample),
      },
    },
  },
  {
    id: 'getService',
    ...common,
    path: '/v3/services/{id}',
    permission: permission('services', 'get'),
    summary: 'Show a service',
    responses: {
      200: {
        description: 'The service',
        body: exactObject({ service: ServiceDto }),
        example: { service: serviceExample },
      },
    },
  },
  {
    id: 'listEndpoints',
    ...common,
    path: '/v3/endpoints',
    permission: permission('endpoints', 'list'),
    summary: 'List endpoints',
    query: exactObject({
      interface: Type.Optional(Type.Enum(['public', 'internal', 'admin'])),
      service_id: Type.Optional(Name),
      region_id: Type.Optional(Name),
      ...shortListParameters,
    }),
    responses: {
      200: {
        description: 'Endpoints',
        body: exactObject({ endpoints: Type.Array(EndpointDto), links: Links }),
        example: example.list('endpoints', '/v3/endpoints', endpointExample),
      },
    },
  },
  {
    id: 'getEndpoint',
    ...common,
    path: '/v3/endpoints/{id}',
    permission: permission('endpoints', 'get'),
    summary: 'Show an endpoint',
    responses: {
      200: {
        description: 'The endpoint',
        body: exactObject({ endpoint: EndpointDto }),
        example: { endpoint: endpointExample },
      },
    },
  },
  {
    id: 'listRegions',
    ...common,
    path: '/v3/regions',
    permission: permission('regions', 'list'),
    summary: 'List regions',
    query: exactObject({ parent_region_id: Type.Optional(Name), ...shortListParameters }),
    responses: {
      200: {
        description: 'Regions',
        body: exactObject({ regions: Type.Array(RegionDto), links: Links }),
        example: example.list('regions', '/v3/regions', regionExample),
      },
    },
  },
  {
    id: 'getRegion',
    ...common,
    path: '/v3/regions/{id}',
    permission: permission('regions', 'get'),
    summary: 'Show a region',
    responses: {
      200: {
        description: 'The region',
        body: exactObject({ region: RegionDto }),
        example: { region: regionExample },
      },
    },
  },
] as const satisfies readonly Operation[]
