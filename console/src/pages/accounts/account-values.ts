import type {
  AccountToTest,
  CloudAccount,
  CloudAccountChanges,
  CloudProvider,
  NewCloudAccount,
} from '@muster/contract'

export type SettingField = CloudProvider['options'][number]
type Texts = Readonly<Record<string, string>>
type Option = CloudAccount['options'][string]

/** The connection settings, as texts while they are edited. */
export interface Settings {
  readonly address: string
  readonly credentials: Texts
  readonly options: Texts
  /** Delete the stored credentials without replacing them. */
  readonly forgetsCredentials: boolean
}

/** The values of the account form. */
export interface AccountValues {
  readonly name: string
  readonly projectId: string
  readonly period: string
  /** In seconds; empty for the default. */
  readonly requestTimeout: string
  readonly access: CloudAccount['access']
  /** Actions that run at once; empty for the default. */
  readonly maxActions: string
  readonly settings: Settings
}

const textOf = (value: Option | undefined): string =>
  Array.isArray(value) ? value.join('\n') : String(value ?? '')

const textsOf = (fields: readonly SettingField[], given: Readonly<Record<string, Option>>): Texts =>
  Object.fromEntries(fields.map(({ name }) => [name, textOf(given[name])]))

/** The values of a new account. */
export const emptyValues = ({ credentials, options }: CloudProvider): AccountValues => ({
  name: '',
  projectId: '',
  period: '',
  requestTimeout: '',
  access: 'observe',
  maxActions: '',
  settings: {
    address: '',
    credentials: textsOf(credentials, {}),
    options: textsOf(options, {}),
    forgetsCredentials: false,
  },
})

/** The values of an existing account, without its credentials. */
export const valuesOf = (provider: CloudProvider, account: CloudAccount): AccountValues => ({
  name: account.name,
  projectId: account.project_id,
  period: String(account.period),
  requestTimeout: String(account.request_timeout),
  access: account.access,
  maxActions: String(account.max_actions),
  settings: {
    address: account.address,
    credentials: textsOf(provider.credentials, {}),
    options: textsOf(provider.options, account.options),
    forgetsCredentials: false,
  },
})

export const areSame = (one: AccountValues, other: AccountValues): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

function optionOf({ type }: SettingField, text: string): Option | undefined {
  if (type === 'list') {
    const items = text.split('\n').map((item) => item.trim())
    const named = items.filter((item) => item !== '')
    return named.length === 0 ? undefined : named
  }
  if (text.trim() === '') return undefined
  if (type === 'integer') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}

function definedValues<Value>(
  fields: readonly SettingField[],
  read: (field: SettingField) => Value | undefined,
): Record<string, Value> {
  const pairs = fields.map((field) => [field.name, read(field)] as const)
  return Object.fromEntries(pairs.filter((pair): pair is [string, Value] => pair[1] !== undefined))
}

const optionsOf = ({ options }: CloudProvider, settings: Settings) =>
  definedValues(options, (field) => optionOf(field, settings.options[field.name] ?? ''))

const credentialsOf = ({ credentials }: CloudProvider, settings: Settings) =>
  definedValues(credentials, ({ name }) => settings.credentials[name] || undefined)

export const typesCredentials = ({ credentials }: Settings): boolean =>
  Object.values(credentials).some((text) => text !== '')

const settingsOf = (provider: CloudProvider, settings: Settings) => ({
  address: settings.address.trim(),
  credentials: credentialsOf(provider, settings),
  options: optionsOf(provider, settings),
})

export const toTest = (provider: CloudProvider, settings: Settings): AccountToTest => ({
  provider: provider.provider,
  ...settingsOf(provider, settings),
})

export const toNewAccount = (provider: CloudProvider, values: AccountValues): NewCloudAccount => ({
  name: values.name.trim(),
  provider: provider.provider,
  project_id: values.projectId,
  ...(values.period.trim() !== '' && { period: Number(values.period) }),
  ...(values.requestTimeout.trim() !== '' && { request_timeout: Number(values.requestTimeout) }),
  ...(values.access !== 'observe' && { access: values.access }),
  ...(values.maxActions.trim() !== '' && { max_actions: Number(values.maxActions) }),
  ...settingsOf(provider, values.settings),
})

const inOrder = (options: object): string =>
  JSON.stringify(Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1)))

/** The changed connection settings. */
function settingsChanges(provider: CloudProvider, start: Settings, settings: Settings) {
  const before = settingsOf(provider, start)
  const { address, credentials, options } = settingsOf(provider, settings)
  const replaces = typesCredentials(settings) || settings.forgetsCredentials
  return {
    ...(address !== before.address && { address }),
    ...(inOrder(options) !== inOrder(before.options) && { options }),
    ...(replaces && { credentials }),
  }
}

/**
 * The fields that the user changed, so that changes by others are kept. Untouched credentials stay as
 * they are.
 */
export function toChanges(
  provider: CloudProvider,
  start: AccountValues,
  values: AccountValues,
): CloudAccountChanges {
  const name = values.name.trim()
  const period = Number(values.period)
  const requestTimeout = Number(values.requestTimeout)
  const maxActions = Number(values.maxActions)
  return {
    ...(name !== start.name.trim() && { name }),
    ...(values.projectId !== start.projectId && { project_id: values.projectId }),
    ...(period !== Number(start.period) && { period }),
    ...(requestTimeout !== Number(start.requestTimeout) && { request_timeout: requestTimeout }),
    ...(values.access !== start.access && { access: values.access }),
    ...(maxActions !== Number(start.maxActions) && { max_actions: maxActions }),
    ...settingsChanges(provider, start.settings, values.settings),
  }
}

/** How to test: the stored settings, the typed ones, or not without the credentials. */
export function wayToTest(
  provider: CloudProvider,
  start: Settings,
  settings: Settings,
): 'stored' | 'typed' | 'secret' {
  const changes = settingsChanges(provider, start, settings)
  if (Object.keys(changes).length === 0) return 'stored'
  const needsSecrets = provider.credentials.length > 0 && !('credentials' in changes)
  return needsSecrets ? 'secret' : 'typed'
}
