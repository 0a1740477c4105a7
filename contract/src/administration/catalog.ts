import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  enumeration,
  filterable,
  object,
  searchable,
  text,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { exactObject } from '../scalars.ts'
import { example, listExample } from './examples.ts'
import { keystoneListBody, keystoneListQuery, links } from './resource-operations.ts'

const enabled = object('Always true', Type.Literal(true), true)

export const services = {
  key: 'service',
  keys: 'services',
  noun: 'Service',
  nouns: 'Services',
  one: 'a service',
  many: 'services',
  fields: {
    id: text('Id', searchable),
    name: text('Name', searchable),
    type: enumeration('Type, such as `identity`', filterable),
    description: text('Description', searchable),
    enabled,
    links,
  },
} as const satisfies Resource
export const ServiceDto = wireSchema(services)
export type ServiceDto = Static<typeof ServiceDto>

export const endpoints = {
  key: 'endpoint',
  keys: 'endpoints',
  noun: 'Endpoint',
  nouns: 'Endpoints',
  one: 'an endpoint',
  many: 'endpoints',
  fields: {
    id: text('Id', searchable),
    interface: {
      ...enumeration('`public`, `internal` or `admin`', filterable),
      schema: Type.Unsafe<string>(Type.Enum(['public', 'internal', 'admin'])),
    },
    name: text('Name of the service', searchable),
    service_id: text('Id of the service', filterable),
    region: text('Name of the region', filterable),
    region_id: text('Id of the region', filterable),
    url: text('Address', searchable),
    enabled,
    links,
  },
} as const satisfies Resource
export const EndpointDto = wireSchema(endpoints)
export type EndpointDto = Static<typeof EndpointDto>

export const regions = {
  key: 'region',
  keys: 'regions',
  noun: 'Region',
  nouns: 'Regions',
  one: 'a region',
  many: 'regions',
  fields: {
    id: text('Id', searchable),
    description: text('Description', searchable),
    parent_region_id: { ...text('Always null', filterable), schema: Type.Null() },
    links,
  },
} as const satisfies Resource
export const RegionDto = wireSchema(regions)
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

/** List and get of a kind of entries. */
function readOperations<const R extends Resource>(resource: R, entry: unknown) {
  const { one, many } = resource
  const [key, keys]: [R['key'], R['keys']] = [resource.key, resource.keys]
  const [noun, nouns]: [R['noun'], R['nouns']] = [resource.noun, resource.nouns]
  const common = { method: 'GET', ...identityDefaults, tag: 'Catalog' } as const
  const permission = <const Action extends 'list' | 'get'>(action: Action) =>
    ({
      service: 'identity',
      resource: keys,
      action,
      at: ['system', 'domain', 'project'],
    }) as const
  const view = wireSchema(resource)
  return [
    {
      id: `list${nouns}` as const,
      ...common,
      path: `/v3/${keys}` as const,
      permission: permission('list'),
      summary: `List ${many}`,
      query: keystoneListQuery(resource),
      responses: {
        200: {
          description: nouns,
          body: keystoneListBody(keys, view),
          example: listExample(keys, `/v3/${keys}`, entry),
        },
      },
    },
    {
      id: `get${noun}` as const,
      ...common,
      path: `/v3/${keys}/{id}` as const,
      permission: permission('get'),
      summary: `Show ${one}`,
      responses: {
        200: {
          description: `The ${key}`,
          body: exactObject({ [key]: view } as Record<R['key'], typeof view>),
          example: { [key]: entry },
        },
      },
    },
  ] as const satisfies readonly Operation[]
}

/** The entries of the service catalog. They follow from the settings and are read-only. */
export const catalogOperations = [
  ...readOperations(services, serviceExample),
  ...readOperations(endpoints, endpointExample),
  ...readOperations(regions, regionExample),
] as const satisfies readonly Operation[]
