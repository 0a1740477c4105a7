import { Type } from 'typebox'
import { exactObject } from './scalars.ts'

/** A field of a form, as a driver describes it. */
export const FormField = exactObject({
  name: Type.String(),
  type: Type.Enum(['text', 'integer', 'boolean', 'list']),
  required: Type.Boolean(),
  long: Type.Boolean({ description: 'Multi-line text, such as a certificate' }),
  secret: Type.Boolean({ description: 'Whether a form should mask it' }),
  description: Type.String(),
})
