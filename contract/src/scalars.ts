import { Type, type Static, type TProperties, type TSchema } from 'typebox'

/** `YYYY-MM-DDTHH:MM:SS.ssssssZ`: UTC, six decimals. */
export const Timestamp = Type.String({
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$`,
  examples: ['2026-05-04T08:00:00.000000Z'],
})
export type Timestamp = Static<typeof Timestamp>

/** A timestamp that may be missing. */
export const OptionalTimestamp = Type.Union([Timestamp, Type.Null()])

/** An object with exactly these keys. */
export const exactObject = <Properties extends TProperties>(
  properties: Properties,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options })

/** The body of an update: at least one of the fields. */
export const changesObject = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, minProperties: 1 })

/** Several keys of one type. */
export const sameType = <const Keys extends readonly string[], Schema>(
  keys: Keys,
  schema: Schema,
): Record<Keys[number], Schema> =>
  Object.fromEntries(keys.map((key) => [key, schema])) as Record<Keys[number], Schema>

/** An id in a request. */
export const Id = Type.String({ minLength: 1, maxLength: 64 })

/** A name that refers to something existing. */
export const Name = Type.String({ minLength: 1, maxLength: 255 })

/** Format characters (bidi controls, zero-width) make two names look like one. */
export const newNamePattern = String.raw`^[^\s\p{C}]([^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*[^\s\p{C}])?$`

/** A name for something new. It is checked more strictly than a name that is looked up. */
export const NewName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: newNamePattern,
  description: 'No leading or trailing blanks, no control or format characters',
})

/** A code of an authenticator app, or a recovery code. */
export const Passcode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Code of the authenticator app, or a recovery code',
})

/** Free text for people. */
export const FreeText = Type.String({ maxLength: 1024 })

/** A timestamp in a request. */
export const TimestampInput = Type.String({
  maxLength: 32,
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$`,
  description: 'UTC, such as `2026-05-04T08:00:00Z`',
  examples: ['2026-05-04T08:00:00Z'],
})

/** In which days and hours begin. */
export const TimeZone = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Time zone of days and hours, such as `Europe/Berlin`. Default: UTC.',
    examples: ['Europe/Berlin'],
  }),
)

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
