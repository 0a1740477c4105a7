import { tokenLogin, type LoginOptions } from './token-login.ts'

interface PasswordOptions extends LoginOptions {
  /** By name within a domain (`Default` unless said), or by id. */
  readonly user:
    | { readonly id: string }
    | {
        readonly name: string
        readonly domain?: { readonly id: string } | { readonly name: string }
      }
  readonly password: string
}

/** Logs in as a user. */
export const passwordLogin = ({ user, password, ...options }: PasswordOptions) =>
  tokenLogin({
    ...options,
    isRepeatable: true,
    identify: () => ({ methods: ['password'], password: { user: { ...user, password } } }),
  })
