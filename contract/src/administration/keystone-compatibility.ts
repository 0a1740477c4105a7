import { Type } from 'typebox'
import { exactObject, FreeText, orNull } from '../scalars.ts'

/** Keystone's clients read these, and send them empty; Muster has nothing to put there. */
export const emptyTags = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 0,
  description: 'Always empty: read by existing clients',
})
export const emptyOptions = exactObject(
  {},
  { description: 'Always empty: read by existing clients' },
)

/** Keystone's clients send null for a description that nobody gave. */
export const Description = Type.Optional(orNull(FreeText))
