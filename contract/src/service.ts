import { Type } from 'typebox'
import { publicDefaults } from './operation-defaults.ts'
import { processRoles, type Operation } from './operation.ts'
import { exactObject } from './scalars.ts'

const Status = exactObject({ status: Type.String() })

const unchanged = { description: 'Not modified since the ETag in `If-None-Match`' }

/** Health, metrics and documentation of a process. */
export const serviceOperations = [
  {
    id: 'showHealth',
    method: 'GET',
    path: '/healthz',
    ...publicDefaults,
    servedBy: processRoles,
    acceptsAnyHost: true,
    tag: 'Service',
    summary: 'Liveness probe',
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
    summary: 'Readiness probe',
    description:
      '503 with the reason while the database does not respond or cannot write, while the clock of this machine differs from that of PostgreSQL by more than 5 seconds, and while the process shuts down.',
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
    summary: 'Prometheus metrics',
    description:
      'Requests from this machine need no token, unless the operator has set a token for Prometheus. Other requests need that one (`Authorization: Bearer`) or a token with the permission (`X-Auth-Token`).',
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
    summary: 'OpenAPI 3.1 document',
    responses: {
      200: { description: 'OpenAPI document', body: Type.Object({}) },
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
    summary: 'API reference',
    responses: {
      200: {
        description: 'API reference page',
        body: Type.String(),
        contentType: 'text/html; charset=utf-8',
      },
      304: unchanged,
    },
  },
  {
    id: 'showReferenceScript',
    method: 'GET',
    path: '/docs/reference.js',
    ...publicDefaults,
    servedBy: processRoles,
    cache: 'revalidate',
    tag: 'Service',
    summary: 'Script of the API reference',
    responses: {
      200: {
        description: 'Script',
        body: Type.String(),
        contentType: 'text/javascript; charset=utf-8',
      },
      304: unchanged,
    },
  },
] as const satisfies readonly Operation[]
