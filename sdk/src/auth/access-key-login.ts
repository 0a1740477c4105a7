import { signLogin } from './sign-login.ts'
import { tokenLogin, type LoginOptions } from './token-login.ts'

interface AccessKeyOptions extends Pick<LoginOptions, 'source'> {
  readonly accessKey: string
  readonly secret: string
}

/** Logs in with an access key, for the project of the key. */
export const accessKeyLogin = ({ accessKey, secret, ...options }: AccessKeyOptions) =>
  tokenLogin({
    ...options,
    isRepeatable: true,
    identify: async ({ authHost }) => ({
      methods: ['aksk'],
      access_key_secret: await signLogin({ accessKey, secret, host: authHost, now: new Date() }),
    }),
  })
