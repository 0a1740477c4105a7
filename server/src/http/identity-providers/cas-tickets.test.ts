import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  casIdentity,
  serviceUrl,
  startCasPlatform,
  type CasPlatform,
} from '../../testing/cas-platform.ts'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

onEngineOfLane('a CAS ticket', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let cas: FakeCas
  let provider: string
  /** SQLite is for one process; PostgreSQL is shared. */
  let nodes: readonly { readonly url: string }[]
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    provider = (await muster.addProvider(cas)).id
    nodes =
      engine === 'postgres'
        ? [muster, await startCasPlatform(lifetime, engine, { beside: muster })]
        : [muster]
  })

  /** The only allowed validation request of a ticket. */
  const validationUrl = (ticket: string) =>
    `/cas/p3/serviceValidate?${new URLSearchParams({ service: serviceUrl, ticket }).toString()}`

  describe('SEC-40: is validated for the configured service', () => {
    const forged = 'https://evil.test/'

    test('whatever the headers contain', async () => {
      const headers = {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'http',
        'x-forwarded-prefix': '/evil',
        'x-forwarded-for': '192.0.2.1',
        forwarded: 'host=evil.test;proto=http',
        'x-original-url': forged,
        'x-rewrite-url': forged,
        'x-service': forged,
        origin: forged,
        referer: `${forged}?service=${forged}`,
        cookie: `service=${forged}`,
      }
      for (const [name, value] of Object.entries(headers)) {
        const ticket = cas.ticketFor('ada')
        const auth = { identity: casIdentity(ticket) }
        assert.equal((await requestToken(muster.url, auth, { [name]: value })).status, 201)
        assert.deepEqual(cas.askedAbout(ticket), [validationUrl(ticket)], name)
      }
    })

    test('whatever the Host header contains', async () => {
      for (const host of ['evil.test', 'evil.test:443', '127.0.0.1:1']) {
        const ticket = cas.ticketFor('ada')
        const body = JSON.stringify({ auth: { identity: casIdentity(ticket) } })
        for (const target of ['/v3/auth/tokens', 'http://evil.test/v3/auth/tokens']) {
          await askRaw(
            muster.url,
            [
              `POST ${target} HTTP/1.1`,
              `Host: ${host}`,
              'Content-Type: application/json',
              `Content-Length: ${body.length}`,
            ],
            body,
          )
        }
        const asked = cas.askedAbout(ticket)
        assert.deepEqual(new Set(asked), new Set([validationUrl(ticket)]), host)
      }
    })

    test('a query is rejected without contacting the server', async () => {
      const words = ['service', 'service_url', 'serviceUrl', 'url', 'provider', 'ticket', 'pgtUrl']
      const asked = cas.requests.length
      for (const word of words) {
        const body = { auth: { identity: casIdentity(cas.ticketFor('ada')) } }
        const path = `/v3/auth/tokens?${word}=${encodeURIComponent(forged)}`
        assert.equal((await ask(muster.url, path, { method: 'POST', body })).status, 400)
      }
      assert.equal(cas.requests.length, asked)
    })

    test('a service in the body is rejected without contacting the server', async () => {
      const words = ['service', 'service_url', 'serviceUrl', 'url', 'provider', 'domain', 'pgtUrl']
      const asked = cas.requests.length
      for (const word of words) {
        const stray = { [word]: forged }
        const id = cas.ticketFor('ada')
        const bodies: object[] = [
          { auth: { identity: { methods: ['cas'], cas_ticket: { id, ...stray } } } },
          { auth: { identity: { ...casIdentity(id), ...stray } } },
          { auth: { identity: casIdentity(id), ...stray } },
          { auth: { identity: casIdentity(id), context: stray } },
          { auth: { identity: casIdentity(id) }, ...stray },
        ]
        for (const body of bodies) {
          const answer = await ask(muster.url, '/v3/auth/tokens', { method: 'POST', body })
          // A provider id is accepted; an unknown one is a failed login.
          const isNamed = word === 'provider' && body === bodies[0]
          assert.equal(answer.status, isNamed ? 401 : 400, JSON.stringify(body))
        }
      }
      assert.equal(cas.requests.length, asked)
    })

    test('with the configured protocol', async () => {
      await muster.changeProvider(provider, { protocol: 2, url: `${cas.base}//` })
      const ticket = cas.ticketFor('ada')
      assert.equal((await muster.logIn(ticket)).status, 201)
      await muster.changeProvider(provider, { protocol: 3, url: cas.base })
      assert.deepEqual(cas.askedAbout(ticket), [validationUrl(ticket).replace('/p3', '')])
    })
  })

  describe('SEC-41: format', () => {
    test('a malformed ticket is 400, and the server is not contacted', async () => {
      const connections = cas.connections()
      const bad = [
        'ST-',
        'ST',
        'st-1',
        ' ST-1',
        'ST-1 ',
        'ST-1\n',
        'ST-1\r\nX-Injected: yes',
        'ST-1\0',
        'PT-1',
        'PGT-1',
        'TGT-1',
        'xST-1',
        'ST-1&service=https://evil.test',
        'ST-1%26service=https://evil.test',
        'ST-1#',
        'ST-1?x',
        'ST-1/../x',
        'ST-1;x',
        'ST-1+1',
        'ST-1=',
        'ST-ä',
        'ST-１',
        '<cas:user>admin</cas:user>',
        `ST-${'x'.repeat(252)}x`,
        '',
      ]
      for (const ticket of bad) {
        const { fields } = assertError(
          await muster.logIn(ticket),
          'InputParameterError',
          'application/json',
        )
        assert.equal(fields?.[0]?.path, 'auth.identity.cas_ticket.id', ticket)
      }
      assert.equal(cas.connections(), connections)
    })

    test('a ticket of maximum length with every allowed character is sent unchanged', async () => {
      const everything = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-'
      for (const text of ['1', everything, '..', '-_.', 'x'.repeat(252)]) {
        const ticket = cas.ticketFor('ada', {}, `ST-${text}`)
        assert.equal((await muster.logIn(ticket)).status, 201)
        const [asked = '', ...more] = cas.askedAbout(ticket)
        assert.equal(more.length, 0)
        const { searchParams } = new URL(asked, cas.url)
        assert.deepEqual(
          [...searchParams],
          [
            ['service', serviceUrl],
            ['ticket', ticket],
          ],
        )
      }
    })
  })

  describe('SEC-46: can be used once, even if the server accepts it again:', () => {
    /** The number of tokens of a user. */
    async function tokensOf(userId: string): Promise<number> {
      const { db } = muster.database
      const rows = await db
        .selectFrom('tokens')
        .where('user_id', '=', userId)
        .select('id')
        .execute()
      return rows.length
    }

    async function assertOneSuccess(
      ticket: string,
      answers: Awaited<ReturnType<typeof requestToken>>[],
    ) {
      const [good, ...more] = answers.filter(({ status }) => status === 201)
      assert.ok(good && more.length === 0, answers.map(({ status }) => status).join(' '))
      for (const answer of answers) {
        // Each process sends its own address in a header.
        if (answer !== good) assert.equal(comparableParts(answer).text, muster.refusal.text)
      }
      assert.equal(await tokensOf(good.body.token.user.Id), 1)
      // The server was not contacted again, although it would have accepted the ticket.
      assert.equal(cas.askedAbout(ticket).length, 1)
    }

    test('used twice', async () => {
      const ticket = cas.ticketFor('once')
      const first = await muster.logIn(ticket)
      const second = await muster.logIn(ticket)
      const event = await muster.assertRefused(second, /used before/)
      // The user is not known.
      assert.equal(event.target_id, '')
      await assertOneSuccess(ticket, [first, second])
    })

    test('used again with the other method name, or by another user', async () => {
      const ticket = cas.ticketFor('borrowed')
      const first = await muster.logIn(ticket, undefined, 'cas_ticket')
      cas.ticketFor('borrower', {}, ticket)
      await assertOneSuccess(ticket, [first, await muster.logIn(ticket)])
    })

    test('used twenty times concurrently, by a new and by a known user', async () => {
      for (const name of ['newcomer', 'regular']) {
        if (name === 'regular') {
          const { body } = await muster.logIn(cas.ticketFor(name))
          const path = `/v3/users/${body.token.user.Id}`
          // Setting or removing the password ends earlier tokens.
          assert.equal((await muster.call('PUT', path, { user: { password: null } })).status, 200)
        }
        const ticket = cas.ticketFor(name)
        const answers = await Promise.all(Array.from({ length: 20 }, () => muster.logIn(ticket)))
        await assertOneSuccess(ticket, answers)
      }
    })

    test('used ten times concurrently in each of two processes', async () => {
      const ticket = cas.ticketFor('everywhere')
      const identity = casIdentity(ticket)
      const answers = await Promise.all(
        nodes.flatMap(({ url }) =>
          Array.from({ length: 10 }, () => requestToken(url, { identity })),
        ),
      )
      await assertOneSuccess(ticket, answers)
    })

    test('the same text can be used with another provider', async () => {
      const other = await startFakeCas(lifetime)
      const ticket = cas.ticketFor('here')
      other.ticketFor('there', {}, ticket)
      assert.equal((await muster.logIn(ticket)).status, 201)
      await muster.changeProvider(provider, { enabled: false })
      const { id } = await muster.addProvider(other)
      assert.equal((await muster.logIn(ticket)).body.token.user.Name, 'there')
      assert.deepEqual(comparableParts(await muster.logIn(ticket)), muster.refusal)
      assert.equal((await muster.call('DELETE', `/v3/identity_providers/${id}`)).status, 204)
      await muster.changeProvider(provider, { enabled: true })
    })
  })

  test('concurrent first logins in two processes create one user', async () => {
    const logins = nodes.flatMap(({ url }) =>
      Array.from({ length: 6 }, () =>
        requestToken(url, { identity: casIdentity(cas.ticketFor('rush')) }),
      ),
    )
    const answers = await Promise.all(logins)
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 201),
    )
    assert.equal(new Set(answers.map(({ body }) => body.token.user.Id)).size, 1)
  })

  test('SEC-47: tickets and tokens of a disabled provider are rejected in every process', async () => {
    const tokens: string[] = []
    for (const { url } of nodes) {
      const answer = await requestToken(url, { identity: casIdentity(cas.ticketFor('leaver')) })
      const child = await requestToken(url, { identity: tokenIdentity(secretOf(answer)) })
      tokens.push(secretOf(answer), secretOf(child))
    }
    const look = (url: string) =>
      Promise.all(
        tokens.map(async (token) => (await ask(url, '/v3/auth/catalog', { token })).status),
      )
    for (const { url } of nodes) {
      assert.deepEqual(
        await look(url),
        tokens.map(() => 200),
      )
    }
    await muster.changeProvider(provider, { enabled: false })
    const refused = tokens.map(() => 401)
    assert.deepEqual(await look(muster.url), refused, 'here, at the next request')
    for (const { url } of nodes) {
      const ticket = cas.ticketFor('leaver')
      const answer = await requestToken(url, { identity: casIdentity(ticket) })
      assert.equal(comparableParts(answer).text, muster.refusal.text)
      assert.deepEqual(cas.askedAbout(ticket), [])
      // The other processes apply the change within five seconds.
      const end = performance.now() + 5_000
      let statuses = await look(url)
      while (performance.now() < end && statuses.includes(200)) {
        await pause(50)
        statuses = await look(url)
      }
      assert.deepEqual(statuses, refused)
    }
    await muster.changeProvider(provider, { enabled: true })
    assert.deepEqual(await look(muster.url), refused, 'what has ended stays so')
    assert.equal((await muster.logIn(cas.ticketFor('leaver'))).status, 201)
  })
})
