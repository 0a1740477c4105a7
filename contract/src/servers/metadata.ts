import { Type, type Static } from 'typebox'
import { exactObject, orNull } from '../scalars.ts'
import { Metadata } from '../resources/servers.ts'

/** Maximum number of `user:` tags of a server, and of keys in one request. */
export const maxTags = 64
export const maxTagKeyLength = 128
export const maxTagValueLength = 1024

export const ServerMetadata = exactObject({
  metadata: Metadata,
  // Cloudpods' client sends no parameter by which its requests could be told apart.
  server: Type.Optional({
    ...Metadata,
    description: 'The same for Cloudpods’ client, in the responses to its requests',
  }),
})

const Changes = Type.Record(Type.String(), orNull(Type.String({ maxLength: maxTagValueLength })), {
  // Without this, a key with a line break would match no pattern and bypass the schema of its value.
  additionalProperties: false,
  maxProperties: maxTags,
  propertyNames: { minLength: 1, maxLength: 'user:'.length + maxTagKeyLength },
  description: `At most ${maxTags} keys of ${maxTagKeyLength} characters, values of ${maxTagValueLength}`,
})

/** Changes of `user:` tags. null removes a tag. */
export const MetadataChange = exactObject({ metadata: Changes })

/** The same as Cloudpods' client sends it. */
export const CloudpodsMetadataChange = exactObject({ server: Changes })

export type MetadataChange = Static<typeof MetadataChange>

export const metadataExample = {
  metadata: { 'user:env': 'prod', 'ext:Name': 'web-7', 'sys:source_status': 'RUNNING' },
}
