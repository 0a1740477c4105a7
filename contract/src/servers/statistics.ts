import { Type, type Static } from 'typebox'
import { defaultPageSize } from '../paging.ts'
import { exactObject, sameType } from '../scalars.ts'

export const sums = sameType(
  ['count', 'vcpu_count', 'vmem_size', 'disk'],
  Type.Integer({ minimum: 0 }),
)

/** Maximum number of values of a group. */
export const maxGroupValues = 100

const Group = exactObject({
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
    description: '`null`: servers without a value',
  }),
  ...sums,
})

const Statistics = exactObject({
  total: exactObject(sums),
  groups: Type.Record(Type.String(), Type.Array(Group, { maxItems: maxGroupValues + 1 })),
})
export type ServerStatistics = Static<typeof Statistics>

export const ServerStatistics = exactObject({
  ...Statistics.properties,
  server: Type.Optional({
    ...Statistics,
    description: 'The same, for Cloudpods’ client: only with `summary_stats=false`',
  }),
})

/** How often a tag occurs. */
export const TagPairs = exactObject({
  server: exactObject({
    data: Type.Array(
      exactObject({
        key: Type.String({ description: 'With its prefix: `user:`, `ext:` or `sys:`' }),
        value: Type.Optional(Type.String({ description: 'Absent with `key_only`' })),
        count: Type.Integer({ description: 'Number of servers' }),
      }),
    ),
    total: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
  }),
})
export type TagPairs = Static<typeof TagPairs>

export const tagPairsExample: TagPairs = {
  server: {
    data: [{ key: 'user:env', value: 'prod', count: 2 }],
    total: 1,
    limit: defaultPageSize,
    offset: 0,
  },
}

export const statisticsExample: ServerStatistics = {
  total: { count: 3, vcpu_count: 20, vmem_size: 40_960, disk: 307_200 },
  groups: {
    status: [
      { value: 'running', count: 2, vcpu_count: 16, vmem_size: 32_768, disk: 204_800 },
      { value: 'ready', count: 1, vcpu_count: 4, vmem_size: 8192, disk: 102_400 },
    ],
    'metadata.env': [
      { value: 'prod', count: 2, vcpu_count: 16, vmem_size: 32_768, disk: 204_800 },
      { value: null, count: 1, vcpu_count: 4, vmem_size: 8192, disk: 102_400 },
    ],
  },
}
