import { Type, type Static } from 'typebox'
import { exactObject } from '../scalars.ts'
import { narrowing } from './parameters.ts'
import { sums } from './statistics.ts'

/** How many days back are kept. */
export const longestTimeline = 400
export const usualTimeline = 90

const Point = exactObject({
  date: Type.String({ format: 'date', description: 'The day, in UTC', examples: ['2026-05-04'] }),
  ...sums,
  estimated: Type.Boolean({
    description:
      'Nobody counted that day. Before the first count: of the servers that are there now, those that were made by then; later: as counted last',
  }),
})

export const ServerTimeline = exactObject({
  timeline: Type.Array(Point, { maxItems: longestTimeline }),
})
export type ServerTimeline = Static<typeof ServerTimeline>

export const ServerTimelineQuery = exactObject({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: longestTimeline,
      description: `How many, today included: ${usualTimeline} unless you say`,
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
