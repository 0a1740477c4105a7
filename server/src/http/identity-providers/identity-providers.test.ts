import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { IdentityProviderDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

interface Body {
  readonly identity_provider: IdentityProviderDto
  readonly identity_providers: readonly IdentityProviderDto[]
}
const collection = '/v3/identity_providers'

onEngineOfLane('identity providers', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let campus: string
  let lab: string
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    campus = await muster.identities.addDomain('campus')
    lab = await muster.identities.addProject('lab', campus)
  })

  const call = (method: string, path: string, changes?: object, token?: string) =>
    muster.call<Body>(
      method,
      collection + path,
      changes && { identity_provider: changes },
      token ?? muster.admin,
    )
  const providerInput = (changes: object = {}) => ({
    name: newId(),
    driver: 'cas',
    url: 'https://cas.example.org/cas',
    service_url: 'https://muster.example.org/console/',
    domain_id: campus,
    ...changes,
  })
  const create = async (changes?: object) => {
    const answer = await call('POST', '', providerInput(changes))
    assert.equal(answer.status, 201, answer.text)
    return answer.body.identity_provider
  }
  const rows = async () => {
    const { events: _, tokens: __, ...tables } = await dumpTables(muster.database)
    return tables
  }

  describe('as a system administrator', () => {
    test('are created with the given values and defaults for the rest', async () => {
      const plain = providerInput()
      const { status, body } = await call('POST', '', plain)
      assert.equal(status, 201)
      const { id, created_at, links, ...shown } = body.identity_provider
      const { url, service_url } = plain
      const options = { url, service_url, protocol: 3, ca: '' }
      assert.deepEqual(shown, { ...plain, ...options, options, enabled: true, mapping: [] })
      assert.equal(links.self, `${muster.url}${collection}/${id}`)
      assert.match(created_at, /Z$/)

      const mapping = [
        {
          attribute: 'group',
          value: 'staff',
          role_id: await muster.roleId('project_viewer'),
          project_id: lab,
        },
        { role_id: await muster.roleId('domain_viewer'), domain_id: campus },
      ]
      const whole = providerInput({ protocol: 2, enabled: false, ca: testAuthority, mapping })
      const made = (await call('POST', '', whole)).body.identity_provider
      assert.deepEqual({ ...made, ...whole }, made)
    })

    test('can be read and listed', async () => {
      const first = await create()
      const second = await create({ enabled: false, domain_id: 'default' })
      assert.deepEqual((await call('GET', `/${first.id}`)).body.identity_provider, first)
      const listed = async (query: string) =>
        (await call('GET', query)).body.identity_providers.map(({ id }) => id)
      const all = await listed('')
      assert.ok(all.includes(first.id) && all.includes(second.id))
      assert.deepEqual(await listed(`?name=${first.name.toUpperCase()}`), [first.id])
      assert.ok(!(await listed('?enabled=true')).includes(second.id))
      assert.ok(!(await listed(`?domain_id=${campus}`)).includes(second.id))
      assertError(await call('GET', '/none'), 'ResourceNotFoundError')
    })

    test('an update changes only the given fields', async () => {
      const before = await create({ ca: testAuthority })
      const steps: object[] = [
        { name: newId() },
        { url: 'https://other.example.org' },
        { service_url: 'http://muster.example.org/?from=cas' },
        { protocol: 2 },
        { ca: '' },
        { enabled: false },
        { enabled: true, protocol: 3 },
        { mapping: [{ role_id: await muster.roleId('project_viewer'), project_id: lab }] },
        { mapping: [] },
      ]
      const expected = { ...before }
      for (const [index, step] of steps.entries()) {
        Object.assign(expected, step)
        const { url, service_url, protocol, ca } = expected
        expected.options = { url, service_url, protocol, ca }
        const method = index % 2 === 0 ? 'PUT' : 'PATCH'
        const answer = await call(method, `/${before.id}`, step)
        assert.deepEqual([answer.status, answer.body.identity_provider], [200, expected])
        const shown = await call('GET', `/${before.id}`)
        assert.deepEqual(shown.body.identity_provider, expected)
      }
      // The domain and the type cannot be changed.
      for (const step of [{ domain_id: 'default' }, { driver: 'cas' }, { id: 'other' }, {}]) {
        assert.equal((await call('PUT', `/${before.id}`, step)).status, 400)
      }
      assertError(await call('PUT', '/none', { enabled: false }), 'ResourceNotFoundError')
    })

    test('have unique names, in any spelling', async () => {
      const { id, name } = await create({ name: `Straße ${newId()}` })
      const spelled = name.toUpperCase()
      const again = assertError(
        await call('POST', '', providerInput({ name: spelled })),
        'DuplicateNameError',
      )
      assert.equal(again.fields?.[0]?.path, 'identity_provider.name')
      // Also across domains.
      const elsewhere = providerInput({ name, domain_id: 'default' })
      assertError(await call('POST', '', elsewhere), 'DuplicateNameError')
      const other = await create()
      assertError(await call('PUT', `/${other.id}`, { name }), 'DuplicateNameError')
      assert.equal((await call('PUT', `/${id}`, { name: spelled })).status, 200)
      assert.equal((await call('DELETE', `/${id}`)).status, 204)
      assert.equal((await call('PUT', `/${other.id}`, { name })).status, 200)
    })

    test('changes are recorded in the audit log', async () => {
      const { id, name } = await create()
      await call('PUT', `/${id}`, { enabled: false, protocol: 3 })
      await call('PUT', `/${id}`, { enabled: false })
      await call('DELETE', `/${id}`)
      const events = await muster.events(`target_id=${id}`)
      assert.deepEqual(
        events.map(({ action, result, user }) => [action, result, user]),
        [
          ['delete', 'success', 'sysadmin'],
          ['update', 'success', 'sysadmin'],
          ['create', 'success', 'sysadmin'],
        ],
      )
      for (const { target_type, target_name, domain_id } of events) {
        assert.deepEqual([target_type, target_name, domain_id], ['identity_provider', name, campus])
      }
      assert.deepEqual(events[1]?.changes, { enabled: [true, false] })
    })
  })

  describe('as another user', () => {
    /** A token of a new user with a role in the scope of the token. */
    async function tokenOf(role: string, place: { projectId: string } | { domainId: string }) {
      const userId = await muster.identities.addUser({ name: newId() })
      await muster.identities.assign({ role, userId, ...place })
      const scope =
        'projectId' in place
          ? ({ kind: 'project', id: place.projectId } as const)
          : ({ kind: 'domain', id: place.domainId } as const)
      return { userId, token: await insertToken(muster.database, { userId, scope }) }
    }

    /** A user with a system role of these rules, and a project to use it in. */
    async function tokenOnSystem(rules: Parameters<CasPlatform['identities']['addRole']>[2]) {
      const { userId, token } = await tokenOf('project_viewer', { projectId: lab })
      const name = newId()
      await muster.identities.addRole(name, 'system', rules)
      await muster.identities.assign({ role: name, userId })
      return token
    }

    const keeper = [
      {
        service: 'identity',
        resource: 'identity_providers',
        action: '*',
        effect: 'allow',
      } as const,
    ]

    async function assertMayNotWrite(token: string, id: string): Promise<void> {
      const before = await rows()
      const attempts = [
        await call('POST', '', providerInput(), token),
        await call('PUT', `/${id}`, { enabled: false }, token),
        await call('PATCH', `/${id}`, { url: 'https://evil.example.org' }, token),
        await call('DELETE', `/${id}`, undefined, token),
      ]
      for (const attempt of attempts) assertError(attempt, 'ForbiddenError')
      assert.deepEqual(await rows(), before)
    }

    test('SEC-60: domain administrators and viewers read those of their domain only', async () => {
      const own = await create()
      const other = await create({ domain_id: 'default' })
      for (const role of ['domain_admin', 'domain_viewer']) {
        const { token } = await tokenOf(role, { domainId: campus })
        const { identity_providers } = (await call('GET', '', undefined, token)).body
        assert.ok(identity_providers.some(({ id }) => id === own.id))
        assert.deepEqual(
          new Set(identity_providers.map(({ domain_id }) => domain_id)),
          new Set([campus]),
        )
        assert.deepEqual(
          (await call('GET', `/${own.id}`, undefined, token)).body.identity_provider,
          own,
        )
        const hidden = await call('GET', `/${other.id}`, undefined, token)
        const absent = await call('GET', '/none', undefined, token)
        assertError(hidden, 'ResourceNotFoundError')
        assert.deepEqual(comparableParts(hidden), comparableParts(absent))
        const asked = await call('GET', '?domain_id=default', undefined, token)
        assert.deepEqual(asked.body.identity_providers, [])
        await assertMayNotWrite(token, own.id)
      }
    })

    test('a system auditor reads all of them and changes none', async () => {
      const provider = await create({ domain_id: 'default' })
      const { userId, token } = await tokenOf('project_viewer', { projectId: lab })
      await muster.identities.assign({ role: 'auditor', userId })
      const { identity_providers } = (await call('GET', '', undefined, token)).body
      assert.ok(identity_providers.some(({ id }) => id === provider.id))
      await assertMayNotWrite(token, provider.id)
    })

    test('project roles see none', async () => {
      const provider = await create()
      const { token } = await tokenOf('project_owner', { projectId: lab })
      assertError(await call('GET', '', undefined, token), 'ForbiddenError')
      assertError(await call('GET', `/${provider.id}`, undefined, token), 'ForbiddenError')
      await assertMayNotWrite(token, provider.id)
    })

    test('SEC-08: a mapping cannot grant more than the caller has', async () => {
      const token = await tokenOnSystem(keeper)
      const roles = ['project_viewer', 'project_owner'] as const
      const ruleOf = async (name: string) => ({
        role_id: await muster.roleId(name),
        project_id: lab,
      })
      const [viewer, owner] = [await ruleOf(roles[0]), await ruleOf(roles[1])]
      const { id } = (await call('POST', '', providerInput(), token)).body.identity_provider
      // They can grant what they have.
      assert.equal((await call('PUT', `/${id}`, { mapping: [viewer] }, token)).status, 200)
      const before = await rows()
      const domainRule = { role_id: await muster.roleId('domain_viewer'), domain_id: campus }
      for (const mapping of [[owner], [viewer, owner], [domainRule]]) {
        assertError(await call('POST', '', providerInput({ mapping }), token), 'ForbiddenError')
        assertError(await call('PUT', `/${id}`, { mapping }, token), 'ForbiddenError')
      }
      assert.deepEqual(await rows(), before)
    })

    test('SEC-08: the address of a provider cannot be replaced if its mapping grants more', async () => {
      const token = await tokenOnSystem(keeper)
      const role_id = await muster.roleId('project_owner')
      const { id } = await create({ mapping: [{ role_id, project_id: lab }] })
      const before = await rows()
      // The server that authenticates users decides who gets the role.
      for (const step of [
        { url: 'https://evil.example.org' },
        { ca: testAuthority },
        { service_url: 'https://evil.example.org/' },
      ]) {
        assertError(await call('PUT', `/${id}`, step, token), 'ForbiddenError')
      }
      assert.deepEqual(await rows(), before)
    })
  })
})
