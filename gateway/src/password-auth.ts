import { passwordLogin } from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { RequireCode } from './ports.ts'

type PasswordLogin = Parameters<typeof passwordLogin>[0] & Parameters<RequireCode>[0]

/** Logs in with a password. Without a code, asks first whether the user needs one. */
export function createPasswordAuth(requireCode: RequireCode) {
  return async function passwordAuth(
    { ip, protocol, id: requestId }: Exchange,
    login: Omit<PasswordLogin, 'source'>,
  ): Promise<ReturnType<typeof passwordLogin>> {
    if (login.passcode === undefined) {
      const { user, password } = login
      await requireCode({ user, password }, { ip, requestId, isConfidential: protocol === 'https' })
    }
    return passwordLogin({ ...login, source: 'web' })
  }
}
export type PasswordAuth = ReturnType<typeof createPasswordAuth>
