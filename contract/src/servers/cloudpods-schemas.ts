import {
  Type,
  type TArray,
  type TBoolean,
  type TOptional,
  type TSchema,
  type TString,
} from 'typebox'
import type { CloudpodsParameter } from './cloudpods-parameters.ts'

const text = Type.String({ maxLength: 1024 })

/** In a sentence, what Muster makes of one of Cloudpods' parameters. */
function describe(parameter: CloudpodsParameter): string {
  switch (parameter.means) {
    case 'same':
      return `Cloudpods' word for \`${parameter.as}\``
    case 'filter': {
      const meanings = (['true', 'false'] as const)
        .filter((value) => parameter[value] !== undefined)
        .map((value) => `\`${value}\` is \`filter=${parameter[value]}\``)
      return `Of the original: ${meanings.join(', ')}`
    }
    case 'setting':
      return `Of the original: \`true\` is \`${parameter.of}=${parameter.to}\``
    case 'order':
      return `Of the original: sorts by \`${parameter.by}\``
    case 'nothing':
      return `Of Cloudpods, and changes nothing: ${parameter.because}`
    case 'refused':
      return `Of Cloudpods, and not offered: ${parameter.because}`
  }
}

function schemaOf(parameter: CloudpodsParameter): TSchema {
  const options = { description: describe(parameter) }
  switch (parameter.means) {
    case 'same':
      // climc gives some of them once and numbers others.
      return parameter.as === 'with_meta'
        ? Type.Boolean(options)
        : Type.Array(text, { maxItems: 100, ...options })
    case 'filter':
    case 'setting':
    case 'nothing':
      return Type.Boolean(options)
    case 'order':
      return Type.Enum(['asc', 'desc', ''], options)
    case 'refused':
      return parameter.takes === 'flag'
        ? Type.Boolean(options)
        : Type.Array(text, { maxItems: 100, ...options })
  }
}

/** The parameters of such a table, for the query of an operation. */
export const cloudpodsSchemas = <const Table extends Readonly<Record<string, CloudpodsParameter>>>(
  table: Table,
) =>
  Object.fromEntries(
    Object.entries(table).map(([name, parameter]) => [name, Type.Optional(schemaOf(parameter))]),
  ) as unknown as Record<keyof Table & string, TOptional<TBoolean | TString | TArray<TString>>>
