import { Type, type Static, type TProperties } from 'typebox'

/** `YYYY-MM-DDTHH:MM:SS.ssssssZ`: UTC, six decimals. */
export const Timestamp = Type.String({
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$`,
  examples: ['2026-05-04T08:00:00.000000Z'],
})
export type Timestamp = Static<typeof Timestamp>

/** A moment that may never have come. */
export const OptionalTimestamp = Type.Union([Timestamp, Type.Null()])

/** An object with exactly these keys. */
export const exactObject = <Properties extends TProperties>(
  properties: Properties,
  options: { description?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options })

/** Several keys of one type, declared as the specification's tables do. */
export const sameType = <const Keys extends readonly string[], Schema>(
  keys: Keys,
  schema: Schema,
): Record<Keys[number], Schema> =>
  Object.fromEntries(keys.map((key) => [key, schema])) as Record<Keys[number], Schema>
