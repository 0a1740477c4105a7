import type { Figure } from './figure.ts'
import { measureQuickLogin } from './quick-login.ts'
import { logIn, sendLogin, tokenLogin } from './server.ts'

export const tokenLogins: Figure = {
  id: 'P9',
  title: 'token by token',
  async measure() {
    const row = await measureQuickLogin({
      what: 'token logins',
      async prepare({ url }) {
        const body = tokenLogin(await logIn(url))
        await sendLogin(url, body)
        return () => ({ body })
      },
    })
    return [row]
  },
}
