import type { Impact } from '@muster/contract'
import { PlatformError } from '../../error.ts'

/** A server has to belong to somebody: who has some is not deleted. */
export function requireNoServers(noun: 'project' | 'domain', { servers }: Impact): void {
  if (servers === 0) return
  const some = servers === 1 ? '1 server' : `${servers} servers`
  throw new PlatformError(
    'ConflictError',
    `The ${noun} still has ${some}, including those in the recycle bin. Move or delete them first.`,
  )
}
