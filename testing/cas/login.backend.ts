import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ErrorBody } from '@muster/contract'
import { casIdentity, heldIn } from '../../server/src/testing/cas-platform.ts'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
} from '../../server/src/testing/client.ts'
import { createTestDatabase } from '../../server/src/testing/engines.ts'
import {
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { comparableParts } from '../../server/src/testing/comparable-response.ts'
import { loginAtCas } from './login.ts'
import { people, startCasServer, type CasPerson, type TestCas } from './start.ts'

const serviceUrl = 'https://muster.test/console/?next=%2Fservers&x=ä'
const adminPassword = 'tussocky moorland'
const engines =
  process.env['TEST_POSTGRES_URL'] === undefined
    ? (['sqlite'] as const)
    : (['sqlite', 'postgres'] as const)

/** Rules on the attributes that the CAS server sends about a user. */
interface Placing {
  readonly value: string
  readonly role: string
  readonly place: object
}

for (const engine of engines) {
  describe(`Muster and a real CAS server (${engine})`, () => {
    const lifetime = suiteLifetime()
    let cas: TestCas
    let muster: Muster
    let admin: string
    let provider: string
    let refusal: ReturnType<typeof comparableParts>

    before(async () => {
      cas = await startCasServer()
      const folder = temporaryFolder(lifetime)
      muster = await spawnMuster(lifetime, {
        flags: [
          '--source-allow=localhost',
          '--log-level=trace',
          `--secret-key-file=${folder}/secret.key`,
          engine === 'postgres'
            ? `--database-url=${await createTestDatabase()}`
            : `--data-dir=${folder}/data`,
        ],
        environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
      })
      admin = secretOf(await send(passwordIdentity('sysadmin', adminPassword), systemProject))
      refusal = comparableParts(await send(tokenIdentity('nonsense')))
      await setUp()
    })
    after(() => cas.stop())

    const send = (identity: object, scope?: object) =>
      requestToken(muster.authUrl, { identity, ...(scope && { scope }) })

    async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
      const { status, text, ...answer } = await ask<Body & ErrorBody>(muster.authUrl, path, {
        method,
        token: admin,
        ...(body && { body }),
      })
      assert.ok(status < 300, text)
      return answer.body
    }

    /** As an operator would: creates a domain, a project in it and the mapping of roles. */
    async function setUp(): Promise<void> {
      const { domain } = await call<{ domain: { id: string } }>('POST', '/v3/domains', {
        domain: { name: 'campus' },
      })
      const { project } = await call<{ project: { id: string } }>('POST', '/v3/projects', {
        project: { name: 'lab', domain_id: domain.id },
      })
      const placings: Placing[] = [
        { value: 'staff', role: 'project_editor', place: { project_id: project.id } },
        { value: 'guests', role: 'project_viewer', place: { project_id: project.id } },
        {
          value: 'operators & <analysts>',
          role: 'domain_viewer',
          place: { domain_id: domain.id },
        },
      ]
      const mapping: object[] = []
      for (const { value, role, place } of placings) {
        const { roles } = await call<{ roles: { id: string }[] }>('GET', `/v3/roles?name=${role}`)
        mapping.push({ attribute: 'group', value, role_id: roles[0]?.id, ...place })
      }
      const { identity_provider } = await call<{ identity_provider: { id: string } }>(
        'POST',
        '/v3/identity_providers',
        {
          identity_provider: {
            name: 'university',
            driver: 'cas',
            url: cas.url,
            service_url: serviceUrl,
            domain_id: domain.id,
            ca: cas.ca,
            mapping,
          },
        },
      )
      provider = identity_provider.id
    }

    const change = (changes: object) =>
      call('PUT', `/v3/identity_providers/${provider}`, { identity_provider: changes })

    /** A ticket from the login form. */
    const ticketOf = (name: keyof typeof people, service = serviceUrl) =>
      loginAtCas(cas, name, people[name].password, service)

    async function tokenOf(name: keyof typeof people, scope?: object) {
      const answer = await send(casIdentity(await ticketOf(name)), scope)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.token
    }

    async function assertRefused(ticket: string, reason: RegExp): Promise<void> {
      const answer = await send(casIdentity(ticket))
      assert.deepEqual(comparableParts(answer), refusal)
      const requestId = answer.headers.get('x-request-id') ?? ''
      const { events } = await call<{ events: { changes: Record<string, unknown[]> }[] }>(
        'GET',
        `/events?request_id=${requestId}`,
      )
      assert.match(String(events[0]?.changes['reason']?.[1]), reason)
    }

    test('users log in by the form and get the roles of their groups in the domain', async () => {
      const ada = await tokenOf('ada')
      assert.deepEqual(
        [ada.user.Name, ada.user.Domain.name, ada.methods],
        ['ada', 'campus', ['cas']],
      )
      assert.deepEqual(heldIn(ada.role_assignments), [
        'domain_viewer on campus',
        'project_editor on lab',
      ])
      const grace = await tokenOf('grace')
      assert.notEqual(grace.user.Id, ada.user.Id)
      assert.deepEqual(heldIn(grace.role_assignments), ['project_viewer on lab'])
      assert.equal((await tokenOf('ada')).user.Id, ada.user.Id)
    })

    test('a login can request a scope', async () => {
      const lab = { project: { name: 'lab', domain: { name: 'campus' } } }
      const { project, roles } = await tokenOf('grace', lab)
      assert.equal(project.Name, 'lab')
      assert.deepEqual(
        roles.map(({ name }) => name),
        ['project_viewer'],
      )
      assert.equal((await tokenOf('ada', { domain: { name: 'campus' } })).is_domain, true)
      const stranger = await send(casIdentity(await ticketOf('grace')), {
        domain: { name: 'campus' },
      })
      assert.deepEqual(comparableParts(stranger), refusal)
    })

    for (const protocol of [2, 3]) {
      test(`protocol ${protocol} identifies the same users`, async () => {
        const { Id: before } = (await tokenOf('ada')).user
        await change({ protocol })
        const token = await tokenOf('ada')
        await change({ protocol: 3 })
        assert.deepEqual([token.user.Id, token.user.Name], [before, 'ada'])
        assert.equal(token.role_assignments.length, 2)
      })
    }

    test('SEC-46: a ticket is accepted once, also in ten concurrent logins', async () => {
      const ticket = await ticketOf('ada')
      assert.equal((await send(casIdentity(ticket))).status, 201)
      await assertRefused(ticket, /^CAS: credential used before$/)
      const another = await ticketOf('ada')
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => send(casIdentity(another))),
      )
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      assert.equal(answers.filter(({ status }) => status === 401).length, 9)
    })

    test('SEC-40: a ticket for another service is refused', async () => {
      for (const service of [
        'https://evil.test/',
        'https://muster.test/console/',
        `${serviceUrl}x`,
      ]) {
        await assertRefused(await ticketOf('ada', service), /refused the ticket, INVALID_SERVICE$/)
      }
    })

    test('SEC-42: a forged ticket is refused', async () => {
      await assertRefused('ST-never', /refused the ticket, INVALID_TICKET$/)
    })

    test('SEC-03: changed attributes change the roles at the next login', async () => {
      const staff: CasPerson = { password: people.grace.password, attributes: { group: ['staff'] } }
      cas.putPerson('grace', staff)
      assert.deepEqual(heldIn((await tokenOf('grace')).role_assignments), ['project_editor on lab'])
      cas.putPerson('grace', { ...staff, attributes: {} })
      const { role_assignments, catalog } = await tokenOf('grace')
      assert.deepEqual([role_assignments, catalog], [[], []])
      cas.putPerson('grace', people.grace)
      assert.deepEqual(heldIn((await tokenOf('grace')).role_assignments), ['project_viewer on lab'])
    })

    test('user names can have any characters', async () => {
      const person = { password: 'a word & <another>', attributes: { group: ['guests'] } }
      for (const name of ['Jörg <b> & "Söhne"', '张三', "o'hara@example.org"]) {
        cas.putPerson(name, person)
        const ticket = await loginAtCas(cas, name, person.password, serviceUrl)
        const { user, role_assignments } = (await send(casIdentity(ticket))).body.token
        assert.equal(user.Name, name)
        assert.deepEqual(heldIn(role_assignments), ['project_viewer on lab'])
      }
    })

    test('SEC-47: a server with an untrusted certificate is not contacted', async () => {
      await change({ ca: '' })
      const ticket = await ticketOf('ada')
      await assertRefused(ticket, /^CAS: localhost:\d+: .*certificate/)
      await change({ ca: cas.ca })
      // The server never saw it, but it counts as used.
      await assertRefused(ticket, /^CAS: credential used before$/)
      assert.equal((await send(casIdentity(await ticketOf('ada')))).status, 201)
    })

    test('SEC-47: disabling a provider refuses logins and ends its tokens', async () => {
      const token = secretOf(await send(casIdentity(await ticketOf('ada'))))
      const status = async () => (await ask(muster.authUrl, '/v3/auth/projects', { token })).status
      assert.equal(await status(), 200)
      await change({ enabled: false })
      assert.equal(await status(), 401)
      const ticket = await ticketOf('ada')
      await assertRefused(ticket, /^CAS: no provider/)
      await change({ enabled: true })
      assert.equal(await status(), 401)
      assert.equal((await send(casIdentity(ticket))).status, 201)
    })

    test('SEC-64: no ticket is in the debug log', async () => {
      const ticket = await ticketOf('ada')
      assert.equal((await send(casIdentity(ticket))).status, 201)
      await assertRefused(ticket, /used before$/)
      const { stdout, stderr } = await muster.end('SIGTERM')
      assert.ok(stderr.includes('used before'), 'the log tells why')
      // Every ticket of this server begins so, but not every such word is a ticket.
      assert.doesNotMatch(stdout + stderr, /ST-\w{8}/)
      assert.ok(!stderr.includes(ticket))
    })
  })
}
