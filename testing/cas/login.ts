import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TestCas } from './start.ts'

/** Logs in at a CAS server as a browser does, and returns the ticket that it sends back with. */
export async function loginAtCas(
  server: TestCas,
  user: string,
  password: string,
  serviceUrl: string,
): Promise<string> {
  const address = new URL(`${server.url}/login`)
  address.search = new URLSearchParams({ service: serviceUrl }).toString()
  const page = await visit(server, address)
  const form = new URLSearchParams(readHiddenFields(page.body))
  form.set('service', serviceUrl)
  form.set('username', user)
  form.set('password', password)

  const { location } = await visit(server, address, { cookies: page.cookies, form })
  const ticket = location === undefined ? null : new URL(location).searchParams.get('ticket')
  if (ticket === null) throw new Error(`the CAS server did not let ${user} in`)
  return ticket
}

async function visit(
  { ca }: TestCas,
  address: URL,
  sent?: { cookies: readonly string[]; form: URLSearchParams },
) {
  const outgoing = request(address, {
    ca,
    agent: false,
    method: sent ? 'POST' : 'GET',
    headers: sent && {
      cookie: sent.cookies.join('; '),
      referer: address.href,
      'content-type': 'application/x-www-form-urlencoded',
    },
  }).end(sent?.form.toString())
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return {
    body: await text(answer),
    location: answer.headers.location,
    cookies: (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.replace(/;.*/, '')),
  }
}

/** The prefilled fields of a form, which contain tokens against CSRF and replay. */
function readHiddenFields(html: string): [string, string][] {
  return [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => {
    const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? ''
    return [read('name'), read('value')]
  })
}
