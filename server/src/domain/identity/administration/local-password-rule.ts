import { PlatformError } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import type { Registry } from './registry.ts'
import type { User } from './resources.ts'

type Owner = Pick<User, 'domain_id' | 'break_glass' | 'service_account'>

/** Whether a user may have a password of Muster. */
export async function mayHavePassword(
  registry: Pick<Registry, 'find'>,
  { domain_id, break_glass, service_account }: Owner,
): Promise<boolean> {
  if (service_account) return false
  if (break_glass) return true
  const domain = await registry.find('domains', domain_id, everywhere)
  return domain?.local_passwords !== 'break_glass'
}

export async function requireMayHavePassword(
  registry: Pick<Registry, 'find'>,
  owner: Owner,
): Promise<void> {
  if (await mayHavePassword(registry, owner)) return
  if (owner.service_account) {
    throw new PlatformError(
      'ConflictError',
      'The user is a service account, which has access keys and no password. Create an access key for it.',
    )
  }
  throw new PlatformError(
    'ConflictError',
    'The domain of the user has the rule "local_passwords": "break_glass". Only users with "break_glass" can have a password there.',
  )
}
