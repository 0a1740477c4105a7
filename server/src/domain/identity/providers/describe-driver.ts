import type { IdentityProviderDriverDto } from '@muster/contract'
import type { ProviderDriver } from '../provider-driver.ts'
import type { DriverOptions } from './read-options.ts'

type Field = IdentityProviderDriverDto['options'][number]
type Feature = IdentityProviderDriverDto['features'][number]

function typeOf({ kind, choices = [] }: DriverOptions[string]): Field['type'] {
  if (kind === 'boolean') return 'boolean'
  return kind === 'choice' && choices.every((choice) => typeof choice === 'number')
    ? 'integer'
    : 'text'
}

const describeOption = (name: string, option: DriverOptions[string]): Field => ({
  name,
  type: typeOf(option),
  required: option.default === undefined,
  long: option.kind === 'certificates',
  secret: option.isSecret ?? false,
  description: option.description,
  default: option.default ?? null,
  choices: [...(option.choices ?? [])],
  fixed: option.isFixed ?? false,
  resend: option.needsSecretsAgain ?? false,
})

/** What follows from which kind of driver it is and which members it has. */
function featuresOf(driver: ProviderDriver): Feature[] {
  const { browserLogin } = driver
  const has: Readonly<Record<Feature, boolean>> = {
    browser_login: browserLogin !== undefined,
    password_check: 'checkPassword' in driver,
    token_exchange: 'verify' in driver,
    logout: browserLogin?.logoutPage !== undefined || browserLogin?.readLogout !== undefined,
    group_sync: 'readPeople' in driver,
    person_lookup: 'findPerson' in driver,
  }
  return (Object.keys(has) as Feature[]).filter((feature) => has[feature])
}

/** A driver as a client builds a form from it. */
export const describeDriver = (driver: ProviderDriver): IdentityProviderDriverDto => ({
  driver: driver.names[0],
  title: driver.title,
  description: driver.description,
  features: featuresOf(driver),
  options: Object.entries(driver.options).map(([name, option]) => describeOption(name, option)),
})
