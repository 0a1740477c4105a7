import { badField } from '../error.ts'
import type { SettingField, SourceKind, SourceSettings } from './source.ts'

/** Returns why a host is not allowed, or undefined. */
export type CheckHost = (host: string) => string | undefined

const isOfType: Readonly<Record<SettingField['type'], (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

const nouns = {
  text: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  list: 'a list of texts',
}

const longestText = 65_536
const longestList = 2_000

const isTooLong = (value: unknown): boolean =>
  (typeof value === 'string' && value.length > longestText) ||
  (Array.isArray(value) && (value.length > longestList || value.some(isTooLong)))

function requireFields(
  group: 'credentials' | 'options',
  fields: readonly SettingField[],
  given: Readonly<Record<string, unknown>>,
): void {
  const path = (name: string) => `cloudaccount.${group}.${name}`
  for (const name of Object.keys(given)) {
    if (!fields.some((field) => field.name === name)) {
      const known = fields.map((field) => field.name).join(', ')
      throw badField(
        path(name),
        known === '' ? 'is not supported' : `is not supported. Supported: ${known}`,
      )
    }
  }
  for (const { name, type, isRequired } of fields) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || (value === '' && isRequired)) {
      if (isRequired) throw badField(path(name), 'is required', 'MissingParameterError')
      continue
    }
    if (!isOfType[type](value)) throw badField(path(name), `must be ${nouns[type]}`)
    if (isTooLong(value)) throw badField(path(name), 'is too long')
  }
}

/** Throws an error that names the first invalid field. */
export function validateSettings(
  kind: SourceKind,
  settings: SourceSettings,
  checkHost: CheckHost,
): void {
  if (kind.address.isRequired && settings.address === '') {
    throw badField('cloudaccount.address', 'is required', 'MissingParameterError')
  }
  requireFields('credentials', kind.credentials, settings.credentials)
  requireFields('options', kind.options, settings.options)
  const [first] = kind.check(settings)
  if (first) throw badField(`cloudaccount.${first.path}`, first.problem)
  const host = kind.hostOf(settings)
  const refusal = host === undefined ? undefined : checkHost(host)
  if (refusal !== undefined) throw badField('cloudaccount.address', refusal)
}
