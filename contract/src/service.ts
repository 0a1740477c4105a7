import { Type } from 'typebox'
import { publicDefaults } from './operation-defaults.ts'
import { processRoles, type Operation } from './operation.ts'
import { exactObject } from './scalars.ts'

const Status = exactObject({ status: Type.String() })

const unchanged = { description: 'Not modified since the ETag in `If-None-Match`' }

/** What a process says of itself to operators, probes and tools. */
export const serviceOperations = [
  {
    id: 'showHealth',
    method: 'GET',
    path: '/healthz',
    ...publicDefaults,
    servedBy: processRoles,
    acceptsAnyHost: true,
    tag: 'Service',
    summary: 'Tell whether the process is alive',
    responses: { 200: { description: 'Alive', body: Status, example: { status: 'ok' } } },
  },
  {
    id: 'showReadiness',
    method: 'GET',
    path: '/readyz',
    ...publicDefaults,
    servedBy: processRoles,
    acceptsAnyHost: true,
    tag: 'Service',
    summary: 'Tell whether the process can serve',
    description:
      '503 while the storage does not answer, and from the moment the process was asked to stop.',
    responses: { 200: { description: 'Ready', body: Status, example: { status: 'ready' } } },
  },
  {
    id: 'showMetrics',
    method: 'GET',
    path: '/metrics',
    access: 'loopback',
    servedBy: processRoles,
    throughGateway: false,
    cache: 'default',
    rateLimit: 'token',
    permission: { service: 'identity', resource: 'metrics', action: 'get', at: ['system'] },
    tag: 'Service',
    summary: 'Metrics for Prometheus',
    description: 'From the same machine without a token, from elsewhere with one that may.',
    responses: {
      200: {
        description: 'Prometheus text format',
        body: Type.String(),
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
  },
  {
    id: 'showOpenApi',
    method: 'GET',
    path: '/openapi.json',
    ...publicDefaults,
    servedBy: processRoles,
    cache: 'revalidate',
    tag: 'Service',
    summary: 'This interface as OpenAPI 3.1',
    responses: {
      200: { description: 'The document', body: Type.Object({}) },
      304: unchanged,
    },
  },
  {
    id: 'showReference',
    method: 'GET',
    path: '/docs',
    ...publicDefaults,
    servedBy: processRoles,
    cache: 'revalidate',
    tag: 'Service',
    summary: 'This interface as a page to read',
    responses: {
      200: {
        description: 'The reference page',
        body: Type.String(),
        contentType: 'text/html; charset=utf-8',
      },
      304: unchanged,
    },
  },
] as const satisfies readonly Operation[]
