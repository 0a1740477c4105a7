import { Type, type Static } from 'typebox'
import { exactObject } from '../scalars.ts'
import { narrowing } from './parameters.ts'
import { sums } from './statistics.ts'

/** Number of days that are stored. */
export const maxTimelineDays = 400
export const defaultTimelineDays = 90

const Point = exactObject({
  date: Type.String({ format: 'date', description: 'The day, in UTC', examples: ['2026-05-04'] }),
  ...sums,
  estimated: Type.Boolean({
    description:
      'No count was stored for the day. Before the first stored count, this is the number of current servers that existed then; after it, the last stored count.',
  }),
})

export const ServerTimeline = exactObject({
  timeline: Type.Array(Point, { maxItems: maxTimelineDays }),
})
export type ServerTimeline = Static<typeof ServerTimeline>

export const ServerTimelineQuery = exactObject({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxTimelineDays,
      description: `Number of days including today. Default: ${defaultTimelineDays}.`,
    }),
  ),
  ...narrowing,
})
export type ServerTimelineQuery = Static<typeof ServerTimelineQuery>

export const timelineExample: ServerTimeline = {
  timeline: [
    {
      date: '2026-05-03',
      count: 2,
      vcpu_count: 16,
      vmem_size: 32_768,
      disk: 204_800,
      estimated: true,
    },
    {
      date: '2026-05-04',
      count: 3,
      vcpu_count: 20,
      vmem_size: 40_960,
      disk: 307_200,
      estimated: false,
    },
  ],
}
