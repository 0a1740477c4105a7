import { flatProviderOptions } from '@muster/contract'
import { badField } from '../../error.ts'
import { certificatesProblem } from '../../pem.ts'
import { subjectsProblem } from './workload/subject-patterns.ts'

/** The options of one provider, also the secret ones where a driver is called. */
export type ProviderOptions = Readonly<Record<string, string | number | boolean>>

/** Says why an address must not be contacted; undefined where it may. */
export type CheckAddress = (url: URL) => string | undefined

/** One option of a kind of provider: how it is checked, stored and changed. */
interface DriverOption {
  readonly kind: keyof typeof problems
  /** For people who fill in the form. */
  readonly description: string
  /** The values of a choice. */
  readonly choices?: readonly (string | number)[]
  /** Absent: the option is required. */
  readonly default?: string | number | boolean
  /** Stored encrypted and never shown. */
  readonly isSecret?: true
  /** Decides which server is trusted: only full administrators may change it. */
  readonly isTrusted?: true
  /** Cannot be changed later. */
  readonly isFixed?: true
  /** Decides who receives the secret options: whoever changes it must send them again. */
  readonly needsSecretsAgain?: true
}

export type DriverOptions = Readonly<Record<string, DriverOption>>

const longestText = 8_192

/** What is wrong with a value, by the kind of the option. */
const problems = {
  text: isText,
  /** An address that Muster contacts. */
  server: serverProblem,
  /** Addresses of LDAP servers, separated by blanks. */
  directories: directoriesProblem,
  /** An address that browsers open. */
  page: pageProblem,
  certificates: (value: unknown) =>
    value === '' ? undefined : (isText(value) ?? certificatesProblem(String(value))),
  /** Subjects of tokens, separated by blanks, with a * for a part. */
  subjects: (value: unknown) => isText(value) ?? subjectsProblem(String(value)),
  boolean: (value: unknown) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  choice: (value: unknown, { choices = [] }: DriverOption) =>
    choices.some((choice) => choice === value) ? undefined : `must be one of ${choices.join(', ')}`,
} as const

function isText(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text'
  return value.length > longestText ? `has more than ${longestText} characters` : undefined
}

function pageProblem(value: unknown): string | undefined {
  const address = typeof value === 'string' ? URL.parse(value) : null
  if (!address || !['http:', 'https:'].includes(address.protocol)) return 'must be a URL'
  if (address.username !== '' || address.password !== '') {
    return 'must not contain a user name or password'
  }
  return address.hash === '' ? undefined : 'must not have a fragment'
}

function serverProblem(
  value: unknown,
  _: DriverOption,
  checkAddress: CheckAddress,
): string | undefined {
  const problem = pageProblem(value)
  if (problem !== undefined) return problem
  const address = new URL(String(value))
  if (address.protocol !== 'https:') return 'must be an HTTPS URL'
  if (address.search !== '') return 'must not have a query'
  return checkAddress(address)
}

const mostDirectories = 5

function directoriesProblem(
  value: unknown,
  _: DriverOption,
  checkAddress: CheckAddress,
): string | undefined {
  const problem = isText(value)
  if (problem !== undefined) return problem
  const texts = String(value).trim().split(/\s+/)
  if (texts.length > mostDirectories) return `has more than ${mostDirectories} addresses`
  for (const text of texts) {
    const address = URL.parse(text)
    const isServer =
      address !== null &&
      ['ldap:', 'ldaps:'].includes(address.protocol) &&
      address.hostname !== '' &&
      text.replace(/\/$/, '') === `${address.protocol}//${address.host}`
    if (!isServer) return 'must be addresses such as ldaps://ldap.example.org, separated by blanks'
    const refusal = checkAddress(address)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** A request with options, which can be fields beside them. */
export type OptionsRequest = Readonly<Record<string, unknown>> & { readonly options?: object }

/** Where a request has an option: those of CAS can be fields of the provider. */
function pathOf(name: string, { options, ...fields }: OptionsRequest): string {
  const isFlat =
    Object.hasOwn(flatProviderOptions, name) &&
    (options === undefined || Object.hasOwn(fields, name)) &&
    !Object.hasOwn(options ?? {}, name)
  return isFlat ? `identity_provider.${name}` : `identity_provider.options.${name}`
}

/** The options in a request, wherever they are in it. */
function givenOptions({ options = {}, ...fields }: OptionsRequest) {
  const flat = Object.keys(flatProviderOptions).flatMap((name) =>
    fields[name] === undefined ? [] : [[name, fields[name]]],
  )
  return { ...Object.fromEntries(flat), ...options } as Readonly<Record<string, unknown>>
}

/** Otherwise an administrator could have the stored secrets sent to a server of their own. */
function requireSecretsAgain(
  described: DriverOptions,
  request: OptionsRequest,
  given: Readonly<Record<string, unknown>>,
  before: ProviderOptions,
): void {
  const changed = Object.keys(given).find(
    (name) => described[name]?.needsSecretsAgain && given[name] !== before[name],
  )
  const missing = optionsThat(described, 'isSecret').find(
    (name) => (before[name] ?? '') !== '' && given[name] === undefined,
  )
  if (changed === undefined || missing === undefined) return
  throw badField(
    pathOf(missing, request),
    `is required, because ${changed} changes`,
    'MissingParameterError',
  )
}

/**
 * The options of a provider after a request: those that it names are checked, the others stay as they
 * were or get their default. Throws a 400 that names the option.
 */
export function readOptions(
  described: DriverOptions,
  checkAddress: CheckAddress,
  request: OptionsRequest,
  before?: ProviderOptions,
): ProviderOptions {
  const given = givenOptions(request)
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(described, name) ? described[name] : undefined
    const refuse = (problem: string) => badField(pathOf(name, request), problem)
    if (!option) throw refuse('is not an option of this driver')
    const problem = problems[option.kind](value, option, checkAddress)
    if (problem !== undefined) throw refuse(problem)
    if (option.default === undefined && value === '') throw refuse('must not be empty')
    if (before && option.isFixed && value !== before[name]) {
      throw refuse('cannot be changed: create another provider')
    }
  }
  if (before) requireSecretsAgain(described, request, given, before)
  const options: Record<string, string | number | boolean> = {}
  for (const [name, { default: value }] of Object.entries(described)) {
    const chosen = given[name] ?? before?.[name] ?? value
    if (chosen === undefined) {
      throw badField(pathOf(name, request), 'is required', 'MissingParameterError')
    }
    options[name] = chosen as string | number | boolean
  }
  return options
}

/** The options that a description marks, such as the secret ones. */
export const optionsThat = (
  described: DriverOptions,
  mark: 'isSecret' | 'isTrusted',
): readonly string[] => Object.keys(described).filter((name) => described[name]?.[mark] === true)
