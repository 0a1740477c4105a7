import { redacted } from '../../audit/field-diff.ts'
import type { Changes } from '../../audit/event.ts'
import { badField } from '../../error.ts'
import type { SecretBox } from '../../secret-box.ts'
import type { Caller } from '../caller.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { createDecryptOptions, providerSecretsContext } from '../providers/decrypt-options.ts'
import {
  optionsThat,
  readOptions,
  type CheckAddress,
  type OptionsRequest,
  type ProviderOptions,
} from '../providers/read-options.ts'
import type { PolicyRecord } from '../records.ts'
import { requireCanGrant } from './authority.ts'
import type { Registry } from './registry.ts'
import type { IdentityProvider } from './resources.ts'

export interface ProviderOptionsContext {
  readonly registry: Registry
  readonly drivers: readonly ProviderDriver[]
  readonly checkAddress: CheckAddress
  readonly secretBox: SecretBox
}

/** The options of identity providers in requests, by the rules of their drivers. */
export function createProviderOptions(context: ProviderOptionsContext) {
  const { registry, drivers, checkAddress, secretBox } = context
  const decryptOptions = createDecryptOptions(registry, secretBox)

  /** The contract allows the same names. */
  function driverOf(name: string): ProviderDriver {
    const driver = drivers.find(({ names }) => names[0] === name)
    if (!driver) throw badField('identity_provider.driver', 'is not a driver of this server')
    return driver
  }

  return {
    driverOf,
    decryptOptions,

    readNew: (driver: ProviderDriver, input: OptionsRequest): ProviderOptions =>
      readOptions(driver.options, checkAddress, input),

    /** The options after a change, and how an event shows the secret ones that change. */
    async readChanged(caller: Caller, before: IdentityProvider, input: OptionsRequest) {
      const driver = driverOf(before.driver)
      const old = await decryptOptions(before)
      const options = readOptions(driver.options, checkAddress, input, old)
      const isChanged = (name: string) => options[name] !== old[name]
      if (optionsThat(driver.options, 'isTrusted').some(isChanged)) {
        requireFullAdministrator(caller)
      }
      const changed = optionsThat(driver.options, 'isSecret').filter(isChanged)
      const secretChanges: Changes = Object.fromEntries(changed.map((name) => [name, redacted]))
      return { driver, options, secretChanges }
    },

    /** The secret options as they are stored. */
    encryptSecrets(driver: ProviderDriver, id: string, options: ProviderOptions) {
      const secrets = pick(options, optionsThat(driver.options, 'isSecret'))
      const isAny = Object.values(secrets).some((value) => value !== '')
      const context = providerSecretsContext(id)
      return { secrets: isAny ? secretBox.encrypt(JSON.stringify(secrets), context) : null }
    },
  }
}

const everything: PolicyRecord = {
  id: '',
  name: '',
  scope: 'system',
  enabled: true,
  rules: [{ service: '*', resource: '*', action: '*', effect: 'allow' }],
}

/** Whoever chooses the trusted server can log in as any of its users, with all their roles. */
export const requireFullAdministrator = ({ principal }: Caller): void =>
  requireCanGrant(
    principal,
    { kind: 'system' },
    [everything],
    'change which server authenticates users',
  )

const pick = (options: ProviderOptions, names: readonly string[]): ProviderOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)))

export function withoutSecrets(driver: ProviderDriver, options: ProviderOptions): ProviderOptions {
  const secret = optionsThat(driver.options, 'isSecret')
  return pick(
    options,
    Object.keys(options).filter((name) => !secret.includes(name)),
  )
}
