import { Type, type Static } from 'typebox'
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

export const ServerStatistics = exactObject({
  total: exactObject(sums),
  groups: Type.Record(Type.String(), Type.Array(Group, { maxItems: maxGroupValues + 1 })),
})
export type ServerStatistics = Static<typeof ServerStatistics>

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
