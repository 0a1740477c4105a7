import { loginFailed } from '../domain/error.ts'
import type { CasEndpoint, CasServer } from '../domain/identity/cas/cas-server.ts'
import { readCasAnswer } from '../domain/identity/cas/read-cas-answer.ts'
import type { GetAnswer, GuardedGet } from './guarded-get.ts'

const paths = { 2: '/serviceValidate', 3: '/p3/serviceValidate' } as const

/** Asks a CAS server whose ticket it is. Whatever goes wrong on the way is a failed login. */
export function createCasServer(get: GuardedGet): CasServer {
  async function ask(provider: CasEndpoint, ticket: string): Promise<GetAnswer> {
    try {
      const { ca } = provider
      return await get(validationAddress(provider, ticket), ca === null ? {} : { ca })
    } catch (error) {
      throw loginFailed(`CAS: ${(error as Error).message}`)
    }
  }

  return {
    async validate(provider, ticket) {
      const { status, text } = await ask(provider, ticket)
      if (status !== 200) throw loginFailed(`CAS: answered with status ${status}`)
      return readCasAnswer(text)
    },
  }
}

function validationAddress(
  { url, protocol, serviceUrl: service }: CasEndpoint,
  ticket: string,
): URL {
  const address = new URL(url)
  address.pathname = address.pathname.replace(/\/+$/, '') + paths[protocol]
  address.search = new URLSearchParams({ service, ticket }).toString()
  return address
}
