import { Type, type Static } from 'typebox'
import { exactObject, orNull } from '../scalars.ts'
import { Metadata } from '../server.ts'

/** How many tags a caller can give a server at once, and how many of its own it can have. */
export const mostTags = 64
export const longestTagKey = 128
export const longestTagValue = 1024

export const ServerMetadata = exactObject({ metadata: Metadata })

/** Tags of the owner's own. What is null goes away. */
export const MetadataChange = exactObject({
  metadata: Type.Record(Type.String(), orNull(Type.String({ maxLength: longestTagValue })), {
    // A key that holds the end of a line matches no pattern, and its value would be anything.
    additionalProperties: false,
    maxProperties: mostTags,
    propertyNames: { minLength: 1, maxLength: 'user:'.length + longestTagKey },
    description: `At most ${mostTags} keys of ${longestTagKey} characters, values of ${longestTagValue}`,
  }),
})
export type MetadataChange = Static<typeof MetadataChange>

export const metadataExample = {
  metadata: { 'user:env': 'prod', 'ext:Name': 'web-7', 'sys:source_status': 'RUNNING' },
}
