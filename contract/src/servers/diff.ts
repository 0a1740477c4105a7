import { Type, type Static } from 'typebox'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { defaultPageSize, maxPageSize } from '../paging.ts'
import { asOf, asOfHeader, several } from '../resources/list-operations.ts'
import { exactObject, sameType, Timestamp } from '../scalars.ts'
import { BeforeAndAfter, versionFilter } from './changes.ts'
import { momentParameter } from './moment-parameter.ts'

const kindsOfDiff = ['appeared', 'gone', 'changed'] as const

export const ServerDiffItem = exactObject({
  change: Type.Enum([...kindsOfDiff]),
  server_id: Type.String(),
  server_name: Type.String({ description: 'Name at `to`, or at `from` if it is gone' }),
  project_id: Type.String(),
  domain_id: Type.String(),
  account_id: Type.String(),
  account: Type.String({ description: 'Name of the cloud account' }),
  changes: Type.Record(Type.String(), BeforeAndAfter, {
    description: 'Fields and tags that differ, each as `[before, after]`',
  }),
})
export type ServerDiffItem = Static<typeof ServerDiffItem>

const MomentsDiff = exactObject({
  from: Timestamp,
  to: Timestamp,
  counts: exactObject(sameType(kindsOfDiff, Type.Integer({ minimum: 0 })), {
    description: 'Of all pages',
  }),
  items: Type.Array(ServerDiffItem, { description: 'In the order of the ids of servers' }),
  limit: Type.Integer(),
})

const ServerComparison = exactObject({
  servers: Type.Array(exactObject({ id: Type.String(), name: Type.String() })),
  fields: Type.Array(
    exactObject({
      field: Type.String({ description: 'Field or tag' }),
      values: Type.Array(Type.Unknown(), {
        description: 'One for each server. `null`: it has no such tag.',
      }),
      differs: Type.Boolean(),
    }),
    { description: 'Those that differ first' },
  ),
})
export type ServerComparison = Static<typeof ServerComparison>

export const ServerDiffQuery = exactObject({
  ...versionFilter,
  from: momentParameter('The earlier moment'),
  to: momentParameter('The later moment. Default: now'),
  ids: several(
    Type.String({ minLength: 1, maxLength: 2_048 }),
    'Instead of `from`: the ids of 2 to 5 servers to compare, comma-separated or repeated',
  ),
  as_of: Type.Optional({
    ...asOf,
    description: 'With `ids`: compares them as they were at this moment',
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
    }),
  ),
  marker: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'Start of the next page, from the `Link` header. It has both moments.',
    }),
  ),
})
export type ServerDiffQuery = Static<typeof ServerDiffQuery>

const example: Static<typeof MomentsDiff> = {
  from: '2026-05-03T08:00:00.000000Z',
  to: '2026-05-04T08:00:00.000000Z',
  counts: { appeared: 0, gone: 0, changed: 1 },
  items: [
    {
      change: 'changed',
      server_id: '5d6e7f80-9102-4a3b-8c4d-5e6f70819203',
      server_name: 'web-7',
      project_id: '1f0c7b7e6d5a4f3e8c2b1a0987654321',
      domain_id: 'default',
      account_id: '8a6d0f3e5c4b4a2d9e1f7c6b5a493827',
      account: 'research-aws',
      changes: { status: ['running', 'ready'], 'user:env': [null, 'prod'] },
    },
  ],
  limit: defaultPageSize,
}

export const serverDiffOperations = [
  {
    id: 'getServerDiff',
    method: 'GET',
    path: '/servers/diff',
    ...platformDefaults,
    tag: 'Servers',
    permission: {
      service: 'compute',
      resource: 'servers',
      action: 'list',
      at: ['system', 'domain', 'project'],
    },
    summary: 'Compare two moments, or several servers',
    description:
      'With `from`, the net difference between two moments: servers that appeared, are gone or changed, with the values before and after. A server that changed and changed back is not listed. All filters of `/servers` work; a server is listed if it matched at one of the moments. A server that came into your scope, or out of the recycle bin if you may not see that, has appeared; one that left is gone. With `ids`, compares 2 to 5 servers field by field. Give either `from` or `ids`.',
    query: ServerDiffQuery,
    responses: {
      200: {
        description: 'What differs',
        body: Type.Union([MomentsDiff, ServerComparison]),
        headers: { Link: 'The next page, if there is one', ...asOfHeader },
        example,
      },
    },
    moreErrors: [404, 409],
  },
] as const satisfies readonly Operation[]
