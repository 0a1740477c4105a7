import { Type } from 'typebox'
import { constant, object } from '../resources/resource.ts'
import { exactObject, FreeText, orNull } from '../scalars.ts'

/** Keystone clients expect these fields. Muster does not use them. */
const emptyTags = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 0,
  description: 'Always empty. For Keystone clients.',
})
export const emptyOptions = exactObject({}, { description: 'Always empty. For Keystone clients.' })

/** Keystone clients send null for an empty description. */
export const Description = Type.Optional(orNull(FreeText))

/** The fields of domains and projects that Keystone clients expect. */
export const tagsAndOptions = {
  tags: constant(object('For Keystone clients', emptyTags, [])),
  options: constant(object('For Keystone clients', emptyOptions, {})),
} as const

/** What a request may set of a domain or a project besides its name. */
export const settableOfContainer = {
  description: Description,
  enabled: Type.Optional(Type.Boolean()),
  tags: Type.Optional(emptyTags),
  options: Type.Optional(emptyOptions),
}
