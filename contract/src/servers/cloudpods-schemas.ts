import {
  Type,
  type TArray,
  type TBoolean,
  type TOptional,
  type TSchema,
  type TString,
} from 'typebox'
import { cloudpodsNote } from '../paging.ts'
import type { CloudpodsParameter } from './cloudpods-parameters.ts'

const options = { description: cloudpodsNote }
const texts = Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 100, ...options })

function schemaOf(parameter: CloudpodsParameter): TSchema {
  switch (parameter.means) {
    case 'same':
      // Cloudpods' command line sends some of them once and numbers others.
      return parameter.as === 'with_meta' ? Type.Boolean(options) : texts
    case 'filter':
    case 'setting':
    case 'nothing':
      return Type.Boolean(options)
    case 'order':
      return Type.Enum(['asc', 'desc', ''], options)
    case 'refused':
      return parameter.takes === 'flag' ? Type.Boolean(options) : texts
  }
}

/** The parameters of such a table, for the query of an operation. */
export const cloudpodsSchemas = <const Table extends Readonly<Record<string, CloudpodsParameter>>>(
  table: Table,
) =>
  Object.fromEntries(
    Object.entries(table).map(([name, parameter]) => [name, Type.Optional(schemaOf(parameter))]),
  ) as unknown as Record<keyof Table & string, TOptional<TBoolean | TString | TArray<TString>>>
