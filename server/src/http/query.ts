import type { Operation, QueryOf } from '@muster/contract'
import { badField, PlatformError } from '../domain/error.ts'
import { compileSchema, invalidInput } from './validate.ts'

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new PlatformError('InvalidFormatError', 'The query is not percent-encoded UTF-8.', {
      cause,
    })
  }
  if (decoded.includes('\0')) {
    throw new PlatformError('InvalidFormatError', 'The query holds a NUL character.')
  }
  return decoded
}

/** Keystone's clients write some of these as Python does. */
const flags: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  '1': true,
  false: false,
  False: false,
  '0': false,
}

function convert(name: string, text: string | undefined, type: string | undefined): unknown {
  if (type === 'boolean') {
    // A flag may stand alone.
    if (text === undefined) return true
    const flag = Object.hasOwn(flags, text) ? flags[text] : undefined
    if (flag === undefined) throw badField(name, 'must be true or false')
    return flag
  }
  if (type === 'integer') {
    if (!/^-?\d{1,15}$/.test(text ?? '')) throw badField(name, 'must be an integer')
    return Number(text)
  }
  return text ?? ''
}

/** Reads the query of an operation into what its schema says. What is unknown or given twice is an error. */
export function createQueryReader<Op extends Operation>({ query: schema }: Op) {
  const types: Readonly<Record<string, { readonly type?: string }>> = schema?.properties ?? {}
  const compiled = schema && compileSchema(schema)

  return function readQuery(url: string): QueryOf<Op> {
    const start = url.indexOf('?')
    const parameters: Record<string, unknown> = {}
    const pairs = start === -1 ? [] : url.slice(start + 1).split('&')
    for (const pair of pairs.filter((text) => text !== '')) {
      const [name = '', ...value] = pair.split('=')
      const key = decode(name)
      if (!Object.hasOwn(types, key)) throw badField(key, 'is not a known parameter')
      if (Object.hasOwn(parameters, key)) throw badField(key, 'is given twice')
      const text = pair.includes('=') ? decode(value.join('=')) : undefined
      parameters[key] = convert(key, text, types[key]?.type)
    }
    const check = pairs.length > 0 ? compiled?.() : undefined
    if (check && !check(parameters)) throw invalidInput('query', parameters, check.errors ?? [])
    return parameters as QueryOf<Op>
  }
}
