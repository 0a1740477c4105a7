import type { RequestOrigin } from '../../request-origin.ts'
import type { IssueToken } from '../issue-token.ts'
import type { Directory, FactorStore, MemberReference } from '../ports.ts'

interface Dependencies {
  readonly directory: Pick<Directory, 'findCredentials'>
  readonly factors: Pick<FactorStore, 'list'>
  readonly issueToken: IssueToken
}

interface PasswordLogin {
  readonly user: MemberReference
  readonly password: string
}

/**
 * For the login page. Checks the password of a user who has a second factor, whose code is missing:
 * rejects with a `FactorRequiredError` if it is right. All other logins are left to `issueToken`.
 */
export function createRequireCode({ directory, factors, issueToken }: Dependencies) {
  return async function requireCode(
    { user, password }: PasswordLogin,
    origin: RequestOrigin,
  ): Promise<void> {
    const { credentials } = await directory.findCredentials(user)
    const own = await factors.list(credentials?.user.id ?? '')
    if (!own.some(({ confirmedAt }) => confirmedAt !== null)) return
    const identity = { methods: ['password'], password: { user: { ...user, password } } }
    await issueToken({ auth: { identity } }, origin, true)
  }
}
export type RequireCode = ReturnType<typeof createRequireCode>
