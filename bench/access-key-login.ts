import { newId } from '../server/src/domain/new-id.ts'
import { signLikeMuster } from '../server/src/testing/sign-access-key.ts'
import type { Figure } from './figure.ts'
import { measureQuickLogin, preparedLogins } from './quick-login.ts'
import { accessKeyLogin, makeAccessKey, sendLogin } from './server.ts'

export const accessKeyLogins: Figure = {
  id: 'P9',
  title: 'token by access key',
  async measure() {
    const row = await measureQuickLogin({
      what: 'signed logins',
      async prepare({ url }) {
        const key = await makeAccessKey(url)
        const { host } = new URL(url)
        const sign = () =>
          accessKeyLogin(signLikeMuster({ ...key, host, now: Date.now(), nonce: newId() }))
        await sendLogin(url, sign())
        // Each is good once, and for five minutes: signed before its round, which it is no part of.
        return () => ({ bodies: Array.from({ length: preparedLogins }, sign) })
      },
    })
    return [row]
  },
}
