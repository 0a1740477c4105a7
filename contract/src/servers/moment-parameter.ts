import { Type } from 'typebox'

/** A time in a request, absolute or relative to now. The server checks its format. */
export const momentParameter = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: `${description}: a time such as \`2026-05-04T08:00:00Z\` or \`2026-05-04T10:00+02:00\`, a day such as \`2026-05-04\` (its start in UTC), \`yesterday\`, or \`-30m\`, \`-2h\`, \`-7d\`. Times ago are rounded down to the minute.`,
      examples: ['-2h'],
    }),
  )
