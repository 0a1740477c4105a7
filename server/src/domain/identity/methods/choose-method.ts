import type { IdentityRequest } from '@muster/contract'
import { badField } from '../../error.ts'
import type { AuthMethod } from './auth-method.ts'

/** Picks the one method a request names. A second credential beside it is an error, not a spare. */
export function chooseMethod(
  methods: readonly AuthMethod[],
  identity: IdentityRequest,
): AuthMethod {
  const name = identity.methods[0] ?? ''
  const chosen = methods.find((method) => method.names.includes(name))
  if (!chosen) throw badField('auth.identity.methods', `"${name}" is not enabled on this server`)

  const given = Object.keys(identity).filter((key) => key !== 'methods')
  const stray = given.find((key) => key !== chosen.section)
  if (stray !== undefined) {
    throw badField(`auth.identity.${stray}`, `must not be sent with the method "${name}"`)
  }
  return chosen
}
