import {
  createProviderOptions,
  requireFullAdministrator,
  withoutSecrets,
  type ProviderOptionsContext,
} from './provider-options.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { createRequireMapping, requireCanRevokeMapped } from './provider-mapping.ts'
import { refuseRestrictedKey } from './authority.ts'
import { chooseOwner } from './require-resource.ts'
import type { IdentityProvider } from './resources.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'

/** Identity providers and their mappings. */
export function createIdentityProviderUseCases(context: WriteContext & ProviderOptionsContext) {
  const { registry } = context
  const { driverOf, readNew, readChanged, encryptSecrets } = createProviderOptions(context)
  const requireMapping = createRequireMapping(registry)

  /** People whose password the domain refuses would type it for the new server. */
  async function requireMayGetPasswords(caller: Caller, driver: ProviderDriver, domainId: string) {
    if (!('checkPassword' in driver)) return
    const domain = await registry.find('domains', domainId, everywhere)
    if (domain?.local_passwords === 'break_glass') requireFullAdministrator(caller)
  }

  return createWriteUseCases('identity_providers', context, {
    async complete(caller, input) {
      refuseRestrictedKey(caller.principal, 'create an identity provider')
      const driver = driverOf(input.driver)
      const options = readNew(driver, input)
      const owner = await chooseOwner(registry, 'identity_providers')(caller, input)
      await requireMayGetPasswords(caller, driver, owner.domain_id ?? '')
      await requireMapping(caller, input.mapping)
      return { ...owner, options: withoutSecrets(driver, options) }
    },
    secretsOf({ id, driver: name }, input) {
      const driver = driverOf(name)
      return encryptSecrets(driver, id, readNew(driver, input))
    },
    async update(caller, { before, after, input }) {
      refuseRestrictedKey(caller.principal, 'change an identity provider')
      const { driver, options, secretChanges } = await readChanged(caller, before, input)
      const isEnabled = after.enabled && !before.enabled
      if (isEnabled) await requireMayGetPasswords(caller, driver, before.domain_id)
      await requireMapping(caller, isEnabled ? after.mapping : input.mapping)
      return {
        fields: { options: withoutSecrets(driver, options) },
        ...(Object.keys(secretChanges).length > 0 && {
          secrets: encryptSecrets(driver, before.id, options),
          changes: secretChanges,
        }),
        writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'provider', id: before.id }],
      }
    },
    async delete({ principal }, { id }) {
      await requireCanRevokeMapped(registry, principal, 'delete this provider', id)
      return undefined
    },
    toFields: withoutNesting,
  })
}

/** The API and the audit log show the driver's options beside the other fields. */
const withoutNesting = ({ options, ...fields }: Partial<IdentityProvider>): object => ({
  ...fields,
  ...options,
})
