import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { before, describe, test } from 'node:test'
import { startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { loginAdmin, requestToken, secretOf } from '../../testing/client.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { casFailure, casSuccess, startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const admin = '<cas:user>admin</cas:user>'
const namespace = 'xmlns:cas="http://www.yale.edu/tp/cas"'
const success = casSuccess('admin')
const respond = (content: string) =>
  `<cas:serviceResponse ${namespace}>${content}</cas:serviceResponse>`
const succeed = (content: string) =>
  respond(`<cas:authenticationSuccess>${content}</cas:authenticationSuccess>`)

/** A sample of the parser's test cases, here end to end. */
const documents: Readonly<Record<string, readonly [xml: string, reason: RegExp]>> = {
  'a failure': [casFailure('no'), /refused the ticket, INVALID_TICKET/],
  'a failure with a user in its text': [casFailure('&lt;cas:user>admin'), /refused the ticket/],
  'a failure with a user inside': [casFailure(admin), /refused the ticket/],
  'a failure with a user in a comment': [casFailure(`<!--${admin}-->`), /refused the ticket/],
  'a failure with a user in CDATA': [casFailure(`<![CDATA[${admin}]]>`), /refused the ticket/],
  'a success inside a failure': [
    casFailure(`<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`),
    /refused the ticket/,
  ],
  'a success after a failure': [
    respond(
      `<cas:authenticationFailure code="X"/><cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`,
    ),
    /one outcome/,
  ],
  'two successes': [
    respond(`<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`.repeat(2)),
    /one outcome/,
  ],
  'a result element of another name': [
    success.replaceAll('authenticationSuccess', 'proxySuccess'),
    /no authenticationSuccess/,
  ],
  'a result element of another namespace': [
    respond(
      `<x:authenticationSuccess xmlns:x="http://evil.test/">${admin}</x:authenticationSuccess>`,
    ),
    /no authenticationSuccess/,
  ],
  'two users': [succeed(`${admin}<cas:user>ada</cas:user>`), /one user/],
  'no user': [succeed(''), /one user/],
  'an empty user': [succeed('<cas:user> </cas:user>'), /proper name/],
  'a user with a control character': [succeed('<cas:user>ad&#9;min</cas:user>'), /proper name/],
  'a second root': [success + success, /well-formed/],
  'another namespace': [success.replace('yale.edu', 'evil.test'), /no serviceResponse/],
  'a ticket that went through a proxy': [
    succeed(`${admin}<cas:proxies><cas:proxy>https://evil.test</cas:proxy></cas:proxies>`),
    /proxy/,
  ],
  'a document type': [`<!DOCTYPE x>${success}`, /declares/],
  'an external entity': [
    `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>${succeed('<cas:user>&f;</cas:user>')}`,
    /declares/,
  ],
  'a processing instruction': [`<?php ?>${success}`, /instruction/],
  'no XML': ['yes\nadmin\n', /well-formed/],
  'a login form': ['<!DOCTYPE html><html>admin</html>', /declares/],
  'an empty document': ['', /CAS answer/],
}

onPostgresFirst('an untrusted CAS server', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let cas: FakeCas
  let provider: string
  let silence: {
    readonly answer: ReturnType<CasPlatform['logIn']>
    readonly left: Promise<unknown>
  }
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    provider = (await muster.addProvider(cas)).id
    // It waits for the whole timeout, so it starts first.
    const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
    const answer = muster.logIn(cas.prepareTicket((_, response) => resolve(response)))
    const response = await asked
    silence = { answer, left: once(response, 'close') }
  })

  /** All tables except used tickets and login events. */
  const rows = async () => {
    const { events = [], spent: _spent, ...tables } = await dumpTables(muster.database)
    return { ...tables, events: events.filter((row) => !row.includes('"action":"login"')) }
  }

  async function assertAllRefused(
    answers: Readonly<Record<string, readonly [string | RequestListener, RegExp]>>,
  ) {
    const before = await rows()
    for (const [what, [answer, reason]] of Object.entries(answers)) {
      const ticket = cas.prepareTicket(answer)
      await muster.assertRefused(await muster.logIn(ticket), reason)
      assert.equal(cas.askedAbout(ticket).length, 1, what)
    }
    assert.deepEqual(await rows(), before)
  }

  test('SEC-42, SEC-43: a document that is not exactly one plain success is a failed login', async () => {
    await assertAllRefused(documents)
    // The same user in a plain success can log in.
    assert.equal((await muster.logIn(cas.prepareTicket(success))).body.token.user.Name, 'admin')
  })

  test('SEC-43: any other kind of response is a failed login', async () => {
    await assertAllRefused({
      'with another status': [
        (_, response) => response.writeHead(500).end(success),
        /answered with status 500$/,
      ],
      'with more than 64 KiB': [
        (_, response) => {
          response.on('error', () => {})
          response.end(success + ' '.repeat(65_536))
        },
        /more than 65536 bytes$/,
      ],
      'with too many attributes': [
        casSuccess('admin', { group: Array.from({ length: 201 }, (_, index) => `${index}`) }),
        /more than 200/,
      ],
      'in another encoding': [
        (_, response) => response.end(Buffer.from(casSuccess('J\xF6rg'), 'latin1')),
        /utf-8/i,
      ],
      'with a truncated response': [
        (_, response) => {
          response.setHeader('content-length', 10_000)
          response.write(success, () => response.destroy())
        },
        /^CAS: localhost:\d+: /,
      ],
      'with something other than HTTP': [
        ({ socket }) => socket.end('SSH-2.0\r\n'),
        /^CAS: localhost:\d+: /,
      ],
    })
  })

  test('SEC-45: a redirect is not followed', async () => {
    const elsewhere = await startFakeCas(lifetime)
    for (const status of [301, 302, 303, 307, 308]) {
      await assertAllRefused({
        [status]: [
          ({ url }, response) => {
            const ticket = new URL(url ?? '', cas.url).searchParams.get('ticket') ?? ''
            elsewhere.ticketFor('admin', {}, ticket)
            response.writeHead(status, { location: elsewhere.url + url }).end(success)
          },
          new RegExp(`answered with status ${status}$`),
        ],
      })
    }
    assert.equal(elsewhere.connections(), 0)
  })

  test('SEC-45: an address that is no longer allowed is not contacted', async () => {
    const { db } = muster.database
    const point = async (url: string) => {
      const row = db.selectFrom('identity_providers').where('id', '=', provider)
      const before = await row.select('options').executeTakeFirstOrThrow()
      const options = JSON.stringify({ ...(JSON.parse(before.options) as object), url })
      await muster.identities.change(
        db.updateTable('identity_providers').set({ options }).where('id', '=', provider).compile(),
      )
    }
    const connections = cas.connections()
    // Only the name was allowed. Such rows remain when an operator allows less.
    const spellings = ['127.0.0.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]']
    for (const host of spellings) {
      await point(`https://${host}:${cas.port}/cas`)
      const before = await rows()
      const answer = await muster.logIn(cas.ticketFor('admin'))
      await muster.assertRefused(answer, /^CAS: .*not allowed$/)
      assert.deepEqual(await rows(), before)
    }
    await point(cas.base)
    assert.equal(cas.connections(), connections)
    assert.equal((await muster.logIn(cas.ticketFor('admin'))).status, 201)
  })

  test('SEC-47: nothing is sent to a server with an invalid certificate', async () => {
    const cases = [
      ['authority', '', /self-signed certificate/],
      ['issued', '', /certificate/],
      ['elsewhere', testAuthority, /altnames/],
      ['expired', testAuthority, /expired/],
    ] as const
    for (const [certificate, ca, reason] of cases) {
      const other = await startFakeCas(lifetime, certificate)
      await muster.changeProvider(provider, { url: other.base, ca })
      const before = await rows()
      await muster.assertRefused(await muster.logIn(other.ticketFor('admin')), reason)
      assert.equal(other.requests.length, 0)
      assert.deepEqual(await rows(), before)
    }
    await muster.changeProvider(provider, { url: cas.base, ca: testAuthority })
    assert.equal((await muster.logIn(cas.ticketFor('admin'))).status, 201)
  })

  test('REL-09: an unreachable server is a failed login, and is not contacted again after five', async () => {
    const stops: (() => unknown)[] = []
    const gone = await startFakeCas({ after: (stop) => stops.push(stop) })
    for (const stop of stops) await stop()
    await muster.changeProvider(provider, { url: gone.base })
    const before = await rows()
    for (let login = 1; login <= 5; login += 1) {
      const answer = await muster.logIn(`ST-gone-${login}`)
      await muster.assertRefused(answer, /^CAS: localhost:\d+: .*ECONNREFUSED/)
    }
    await muster.assertRefused(await muster.logIn('ST-gone-6'), /not contacted/)
    assert.deepEqual(await rows(), before)
    await muster.changeProvider(provider, { url: cas.base })
  })

  describe('SEC-47: while the ticket is validated', () => {
    /** A login whose server responds only after the given action. */
    async function logInAfter(name: string, change: () => Promise<unknown>) {
      const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
      const login = muster.logIn(cas.prepareTicket((_, response) => resolve(response)))
      const response = await asked
      await change()
      response.end(casSuccess(name))
      return await login
    }
    const isThere = async (name: string) =>
      (await muster.database.db
        .selectFrom('users')
        .where('name', '=', name)
        .select('id')
        .executeTakeFirst()) !== undefined

    test('without a change the login succeeds', async () => {
      assert.equal((await logInAfter('patient', () => Promise.resolve())).status, 201)
    })

    const disable = () => muster.changeProvider(provider, { enabled: false })

    test('if the provider is disabled, no token is issued', async () => {
      const answer = await logInAfter('patient', disable)
      await muster.changeProvider(provider, { enabled: true })
      await muster.assertRefused(answer, /./)
    })

    test('if the provider is disabled, no user is created', async () => {
      const answer = await logInAfter('too late', disable)
      await muster.changeProvider(provider, { enabled: true })
      assert.deepEqual(comparableParts(answer), muster.refusal)
      assert.equal(await isThere('too late'), false)
    })

    test('if the mapping changes, the new mapping applies', async () => {
      const project = await muster.identities.addProject('lab')
      const rule = { role_id: await muster.roleId('project_viewer'), project_id: project }
      const map = (mapping: object[]) => muster.changeProvider(provider, { mapping })
      await map([rule])
      const { body } = await logInAfter('patient', () => map([]))
      assert.deepEqual(body.token.role_assignments, [])
      const later = await logInAfter('patient', () => map([rule]))
      assert.equal(later.body.token.role_assignments.length, 1)
      await map([])
    })

    test('if the user is disabled, no token is issued', async () => {
      const { body } = await muster.logIn(cas.ticketFor('patient'))
      const path = `/v3/users/${body.token.user.Id}`
      const enable = (enabled: boolean) => muster.call('PUT', path, { user: { enabled } })
      const answer = await logInAfter('patient', () => enable(false))
      await enable(true)
      await muster.assertRefused(answer, /disabled/)
    })

    test('if the provider is deleted, no token is issued and no user is created', async () => {
      const passing = await startFakeCas(lifetime)
      await muster.changeProvider(provider, { enabled: false })
      const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
      const { id } = await muster.addProvider(passing)
      const login = muster.logIn(passing.prepareTicket((_, response) => resolve(response)))
      const response = await asked
      assert.equal((await muster.call('DELETE', `/v3/identity_providers/${id}`)).status, 204)
      response.end(casSuccess('orphan'))
      const answer = await login
      await muster.changeProvider(provider, { enabled: true })
      assert.equal(await isThere('orphan'), false)
      await muster.assertRefused(answer, /./)
    })
  })

  test('REL-09: many logins at a server that never responds leave room for all others', async (context) => {
    const silent = await startFakeCas(lifetime)
    const { id } = await muster.addProvider(silent)
    const logInAt = (providerId: string, ticket: string) =>
      requestToken(muster.url, {
        identity: { methods: ['cas'], cas_ticket: { id: ticket, provider: providerId } },
      })
    const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
    const start = performance.now()
    const stuck = Array.from({ length: 80 }, () =>
      logInAt(
        id,
        silent.prepareTicket((_, response) => resolve(response)),
      ),
    )
    await asked
    assert.equal((await logInAt(provider, cas.ticketFor('ada'))).status, 201)
    await loginAdmin(muster.url)
    const answers = await Promise.all(stuck)
    context.diagnostic(
      `80 logins at a silent CAS server: ${Math.round(performance.now() - start)} ms`,
    )
    const statuses = answers.map(({ status }) => status)
    // Two were sent and timed out; the others were told to try again.
    assert.equal(statuses.filter((status) => status === 401).length, 2)
    assert.equal(silent.requests.length, 2)
    assert.ok(statuses.every((status) => [401, 429, 503].includes(status)))
    assert.equal((await muster.call('DELETE', `/v3/identity_providers/${id}`)).status, 204)
  })

  test('SEC-43, REL-09: a server that never responds times out, and the login fails', async () => {
    await muster.assertRefused(
      await silence.answer,
      /^CAS: localhost:\d+: no response within (4\d{3}|5000) ms$/,
    )
    await silence.left
    assert.equal(await muster.statusOf(secretOf(await muster.logIn(cas.ticketFor('ada')))), 200)
  })
})
