import { Type } from 'typebox'
import { exactObject, FreeText, orNull } from '../scalars.ts'

/** Keystone clients expect these fields. Muster does not use them. */
export const emptyTags = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 0,
  description: 'Always empty. For Keystone clients.',
})
export const emptyOptions = exactObject({}, { description: 'Always empty. For Keystone clients.' })

/** Keystone clients send null for an empty description. */
export const Description = Type.Optional(orNull(FreeText))
