import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ErrorBody, EventDto, IdentityProviderDto, RoleAssignment } from '@muster/contract'
import type { Clock } from '../domain/clock.ts'
import { ask, loginAdmin, requestToken, tokenIdentity, type ClientResponse } from './client.ts'
import type { Engine } from './engines.ts'
import { createIdentityWorld } from './identity-world/create-identity-world.ts'
import { testAuthority } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'
import type { FakeCas } from './fake-cas.ts'
import { startPlatform, type TestPlatform } from './start-platform.ts'
import { comparableParts } from './comparable-response.ts'

interface Options {
  readonly beside?: TestPlatform
  /** The addresses that it may contact, as in `--source-allow`. */
  readonly allow?: string
  readonly clock?: Clock
}

/** The service of every ticket, with characters that have a meaning in a query string. */
export const serviceUrl = 'https://muster.test/console/?from=cas&ticket=none&x=%26y'

export const casIdentity = (ticket: string, method = 'cas') => ({
  methods: [method],
  cas_ticket: { id: ticket },
})

/** A log at the most verbose level, stored so that tests can search it. */
function createLogBook() {
  const lines: string[] = []
  const arrivals = new EventEmitter()
  return {
    destination: {
      write(line: string) {
        lines.push(line)
        arrivals.emit('line')
      },
    },
    text: () => lines.join(''),
    /** The line about a request. It may come a little after the answer. */
    async about(requestId: string): Promise<Record<string, unknown>> {
      const patience = AbortSignal.timeout(5_000)
      for (;;) {
        const line = lines.find(
          (text) =>
            text.includes(`"request_id":"${requestId}"`) && text.includes('"msg":"request"'),
        )
        if (line !== undefined) return JSON.parse(line) as Record<string, unknown>
        await once(arrivals, 'line', { signal: patience })
      }
    },
  }
}

/** A Muster that may contact CAS servers on this machine, with its first administrator logged in. */
export async function startCasPlatform(lifetime: Lifetime, engine: Engine, options: Options = {}) {
  const log = createLogBook()
  const platform = await startPlatform({
    engine,
    flags: [
      `--source-allow=${options.allow ?? 'localhost'}`,
      '--login-failures-per-minute=0',
      '--allowed-hosts=evil.test',
    ],
    log: { level: 'trace', destination: log.destination },
    ...(options.beside && { beside: options.beside }),
    ...(options.clock && { clock: options.clock }),
  })
  lifetime.after(() => platform.close())
  const { url, database } = platform
  const admin = await loginAdmin(url)
  const { db } = database

  const call = <Body = ErrorBody>(method: string, path: string, body?: unknown, token = admin) =>
    ask<Body & ErrorBody>(url, path, { method, token, ...(body !== undefined && { body }) })

  /** The response to every failed login. */
  const refusal = comparableParts(await requestToken(url, { identity: tokenIdentity('nonsense') }))

  const events = async (query: string) =>
    (await call<{ events: EventDto[] }>('GET', `/events?limit=200&${query}`)).body.events

  return {
    ...platform,
    log,
    admin,
    identities: createIdentityWorld(database),
    call,
    events,
    refusal,

    async addProvider(cas: Pick<FakeCas, 'base'>, changes: object = {}) {
      const wish = {
        name: `provider at ${cas.base}`,
        driver: 'cas',
        url: cas.base,
        service_url: serviceUrl,
        domain_id: 'default',
        ca: testAuthority,
        ...changes,
      }
      const { status, text, body } = await call<{ identity_provider: IdentityProviderDto }>(
        'POST',
        '/v3/identity_providers',
        { identity_provider: wish },
      )
      assert.equal(status, 201, text)
      return body.identity_provider
    },

    async changeProvider(id: string, changes: object): Promise<void> {
      const path = `/v3/identity_providers/${id}`
      const { status, text } = await call('PUT', path, { identity_provider: changes })
      assert.equal(status, 200, text)
    },

    async roleId(name: string): Promise<string> {
      const role = db.selectFrom('roles').where('name', '=', name).select('id')
      return (await role.executeTakeFirstOrThrow()).id
    },

    logIn: (ticket: string, scope?: unknown, method?: string) =>
      requestToken(url, {
        identity: casIdentity(ticket, method),
        ...(scope !== undefined && { scope }),
      }),

    statusOf: async (token: string) => (await ask(url, '/v3/auth/catalog', { token })).status,

    /** Asserts the response of a failed login. Only the log and the audit event have the reason. */
    async assertRefused(answer: ClientResponse, reason: RegExp, method = 'cas'): Promise<EventDto> {
      assert.deepEqual(comparableParts(answer), refusal)
      const requestId = answer.headers.get('x-request-id') ?? ''
      const [event, ...more] = await events(`request_id=${requestId}&action=login`)
      assert.ok(event && more.length === 0, 'one event tells of it')
      const { target_type, result, changes } = event
      assert.deepEqual([target_type, result], ['user', 'failure'])
      assert.deepEqual(changes['method'], [null, method])
      assert.match(String(changes['reason']?.[1]), reason)
      const { reason: logged } = await log.about(requestId)
      assert.equal(logged, changes['reason']?.[1])
      return event
    },
  }
}
export type CasPlatform = Awaited<ReturnType<typeof startCasPlatform>>

/** The roles of a user, as short texts. */
export const heldIn = (assignments: readonly RoleAssignment[]): string[] =>
  assignments
    .map(({ role, scope }) => `${role.name} on ${scope.project.name || scope.domain.name}`)
    .sort()
