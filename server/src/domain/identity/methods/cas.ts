import { hash } from 'node:crypto'
import { badField, loginFailed } from '../../error.ts'
import type { CasServer } from '../cas/cas-server.ts'
import { isServiceTicket } from '../cas/ticket.ts'
import type { FindProvider } from '../cas/find-provider.ts'
import type { WelcomeSubject } from '../cas/welcome-subject.ts'
import type { LoginLimit } from '../login-limit.ts'
import type { TokenStore } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import type { AuthMethod } from './auth-method.ts'

interface Dependencies {
  readonly findProvider: FindProvider
  readonly casServer: CasServer
  readonly welcomeSubject: WelcomeSubject
  readonly tokens: Pick<TokenStore, 'useOnce'>
  readonly loginLimit: Pick<LoginLimit, 'requireCas' | 'noteCasLogin'>
  readonly clock: Clock
}

/** A ticket from a CAS server: the server says whose it is, Muster sees to it that it is used once. */
export function createCasMethod(dependencies: Dependencies): AuthMethod {
  const { findProvider, casServer, welcomeSubject, tokens, loginLimit, clock } = dependencies

  /** Before the server is asked: whatever it says, and however often, nobody gets in twice. */
  async function useOnce(ticket: string, providerId: string, address: string): Promise<void> {
    const id = `ticket:${hash('sha256', `${providerId}:${ticket}`, 'base64url')}`
    const isFirst = await tokens.useOnce({ id, address, at: clock(), grace: 0 })
    if (!isFirst) throw loginFailed('CAS: ticket used before')
  }

  return {
    names: ['cas', 'cas_ticket'],
    section: 'cas_ticket',
    async authenticate({ cas_ticket: section }, origin, wish) {
      if (!section) {
        throw badField('auth.identity.cas_ticket', 'is required', 'MissingParameterError')
      }
      const ticket = section.id
      if (!isServiceTicket(ticket)) {
        throw badField('auth.identity.cas_ticket.id', 'is not a CAS service ticket')
      }
      loginLimit.requireCas(origin.ip)
      const provider = await findProvider(wish, section.provider)
      if (!provider) throw loginFailed('CAS: no provider, or more than one to choose from')
      await useOnce(ticket, provider.id, origin.ip)
      const { url, service_url: serviceUrl, protocol, ca } = provider
      const endpoint = { url, serviceUrl, protocol, ca: ca === '' ? null : ca }
      const answer = await casServer.validate(endpoint, ticket)
      const user = await welcomeSubject(provider, answer, { origin, wish })
      loginLimit.noteCasLogin(origin.ip)
      return { user, preconditions: { providerId: provider.id } }
    },
  }
}
