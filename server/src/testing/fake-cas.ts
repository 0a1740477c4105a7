import type { RequestListener } from 'node:http'
import { newId } from '../domain/new-id.ts'
import { startSecureServer } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

type Attributes = Readonly<Record<string, readonly string[]>>

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const element = (name: string, text: string) => `<cas:${name}>${escape(text)}</cas:${name}>`
const respond = (content: string) =>
  `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">${content}</cas:serviceResponse>`

/** The response of a CAS server to a valid ticket. */
export function casSuccess(user: string, attributes: Attributes = {}): string {
  const values = Object.entries(attributes).flatMap(([name, texts]) =>
    texts.map((text) => element(name, text)),
  )
  return respond(
    `<cas:authenticationSuccess>${element('user', user)}<cas:attributes>${values.join('')}</cas:attributes></cas:authenticationSuccess>`,
  )
}

/** The response to an invalid ticket. The text is for people. */
export const casFailure = (text: string, code = 'INVALID_TICKET'): string =>
  respond(`<cas:authenticationFailure code="${code}">${text}</cas:authenticationFailure>`)

/**
 * A fake CAS server whose tickets a test controls. Unlike a real one it accepts a ticket more than
 * once, so that a test sees whether Muster does.
 */
export async function startFakeCas(
  lifetime: Lifetime,
  certificate?: Parameters<typeof startSecureServer>[2],
) {
  const scripts = new Map<string, RequestListener>()
  const server = await startSecureServer(
    lifetime,
    (request, response) => {
      const script = scripts.get(ticketIn(request.url ?? ''))
      if (script) script(request, response)
      else response.end(casFailure('no such ticket'))
    },
    certificate,
  )

  /** A ticket that always gets this response. */
  function prepareTicket(answer: string | RequestListener, ticket = `ST-${newId()}`): string {
    scripts.set(ticket, typeof answer === 'string' ? (_, response) => response.end(answer) : answer)
    return ticket
  }

  return {
    ...server,
    /** The prefix of the protocol's paths. */
    base: `${server.url}/cas`,
    prepareTicket,
    /** A ticket of this user that never expires. */
    ticketFor: (user: string, attributes?: Attributes, ticket?: string) =>
      prepareTicket(casSuccess(user, attributes), ticket),
    /** The targets of all requests for a ticket. */
    askedAbout: (ticket: string) =>
      server.requests.map(({ target }) => target).filter((target) => ticketIn(target) === ticket),
  }
}
export type FakeCas = Awaited<ReturnType<typeof startFakeCas>>

const ticketIn = (target: string): string =>
  new URL(target, 'https://cas.test').searchParams.get('ticket') ?? ''
