import { tokenLogin, type LoginOptions } from './token-login.ts'

interface PasswordOptions extends LoginOptions {
  /** By id, or by name in a domain (default: `Default`). */
  readonly user:
    | { readonly id: string }
    | {
        readonly name: string
        readonly domain?: { readonly id: string } | { readonly name: string }
      }
  readonly password: string
}

/** Logs in with a user name and password. */
export const passwordLogin = ({ user, password, ...options }: PasswordOptions) =>
  tokenLogin({
    ...options,
    isRepeatable: true,
    identify: () => ({ methods: ['password'], password: { user: { ...user, password } } }),
  })
