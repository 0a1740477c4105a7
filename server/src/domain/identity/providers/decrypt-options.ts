import type { SecretBox } from '../../secret-box.ts'
import type { Registry } from '../administration/registry.ts'
import type { IdentityProvider } from '../administration/resources.ts'
import type { ProviderOptions } from './read-options.ts'

/** Binds encrypted options to their provider, so that they decrypt in no other row. */
export const providerSecretsContext = (providerId: string): string =>
  `secrets of identity provider ${providerId}`

/** The options of a provider with the secret ones. */
export function createDecryptOptions(
  registry: Pick<Registry, 'findProviderSecrets'>,
  secretBox: Pick<SecretBox, 'decrypt'>,
) {
  return async function decryptOptions({
    id,
    options,
  }: Pick<IdentityProvider, 'id' | 'options'>): Promise<ProviderOptions> {
    const encrypted = await registry.findProviderSecrets(id)
    if (encrypted === undefined) return options
    const secrets = secretBox.decrypt(encrypted, providerSecretsContext(id))
    return { ...options, ...(JSON.parse(secrets) as ProviderOptions) }
  }
}
export type DecryptOptions = ReturnType<typeof createDecryptOptions>
