import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { IdentityProviderDto, Token } from '@muster/contract'
import { heldIn } from '../../testing/cas-platform.ts'
import { secretOf, type ClientResponse } from '../../testing/client.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  fakeGroup,
  fakePerson,
  ldapResult,
  startFakeLdap,
  type FakeLdap,
} from '../../testing/fake-ldap.ts'
import { startLdapPlatform, type LdapPlatform } from '../../testing/ldap-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const names = ['ada', 'grace', 'edsger', 'barbara']

onBothEngines('people of a directory', (engine) => {
  const lifetime = suiteLifetime()
  let muster: LdapPlatform
  let ldap: FakeLdap
  let provider: IdentityProviderDto
  let base: FakeLdap['entries']
  let tokens: Map<string, string>
  before(async () => {
    muster = await startLdapPlatform(lifetime, engine)
    ldap = await startFakeLdap(lifetime)
    base = [...ldap.entries]
    provider = await muster.addLdap(
      { servers: ldap.url, sync_minutes: 15 },
      {
        mapping: [
          {
            attribute: 'groups',
            value: 'staff',
            role_id: await muster.roleId('domain_viewer'),
            domain_id: 'default',
          },
        ],
      },
    )
  })

  const logIn = (name: string) => muster.logInAs({ name }, `secret of ${name}`)
  const setEntries = (people: FakeLdap['entries'], staff: readonly string[] = names) =>
    ldap.entries.splice(0, Infinity, ...base, ...people, fakeGroup('staff', ...staff.map(dnOf)))
  const dnOf = (name: string) => fakePerson(name).dn
  const everybody = () => names.map((name) => fakePerson(name))
  const without = (...gone: readonly string[]) =>
    names.filter((name) => !gone.includes(name)).map((name) => fakePerson(name))

  beforeEach(async () => {
    ldap.state.fault = undefined
    setEntries(everybody())
    assert.deepEqual(await muster.syncLater(), [])
    tokens = new Map()
    for (const name of names) tokens.set(name, secretOf(await logIn(name)))
  })

  const alive = async () => {
    const found: string[] = []
    for (const [name, token] of tokens) {
      if ((await muster.statusOf(token)) === 200) found.push(name)
    }
    return found
  }
  const rolesOf = async (name: string) => {
    const { body } = (await logIn(name)) as ClientResponse<{ token: Token }>
    return heldIn(body.token.role_assignments)
  }
  /** Without a login, which would change them. */
  const holders = async () => {
    const rows = await muster.database.db
      .selectFrom('assignments')
      .innerJoin('users', 'users.id', 'assignments.user_id')
      .where('provider_id', '=', provider.id)
      .select('users.name')
      .orderBy('users.name')
      .execute()
    return rows.map(({ name }) => name)
  }

  test('a break-glass user who is removed stays enabled under the rule, but the logins there end', async () => {
    const { db, commitIdentity } = muster.database
    const set = (break_glass: number, local_passwords: string) =>
      commitIdentity([
        db.updateTable('users').set({ break_glass }).where('name', '=', 'ada').compile(),
        db.updateTable('domains').set({ local_passwords }).compile(),
      ])
    const enabled = async () =>
      (await db.selectFrom('users').select('enabled').where('name', '=', 'ada').execute())[0]
        ?.enabled
    for (const [rule, stays] of [
      ['break_glass', 1],
      ['on', 0],
    ] as const) {
      await set(1, rule)
      setEntries(without('ada'))
      assert.deepEqual(await muster.syncLater(), [])
      assert.deepEqual(await alive(), names.slice(1))
      assert.equal(await enabled(), stays, rule)
      const told = () => muster.events('action=map&target_name=ada')
      const { length } = await told()
      assert.deepEqual(await muster.syncLater(), [])
      assert.equal((await told()).length, length, 'told once')
      await set(0, rule)
      assert.deepEqual(await muster.syncLater(), [])
      assert.equal(await enabled(), 0, 'ends with the mark')
      setEntries(everybody())
      assert.deepEqual(await muster.syncLater(), [])
      await set(0, 'on')
      secretOf(await logIn('ada'))
    }
  })

  test('who is removed ends at the next sync, and begins again when they are back', async () => {
    setEntries(without('ada'))
    assert.deepEqual(await alive(), names)
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await alive(), ['grace', 'edsger', 'barbara'])
    assert.equal((await logIn('ada')).status, 401)
    setEntries(everybody())
    assert.deepEqual(await muster.syncLater(), [])
    assert.equal((await logIn('ada')).status, 201)
    assert.deepEqual((await alive()).includes('ada'), false, 'ended tokens stay ended')
  })

  test('who is disabled ends at the next sync', async () => {
    setEntries([...without('ada'), fakePerson('ada', { nsAccountLock: ['true'] })])
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await alive(), ['grace', 'edsger', 'barbara'])
  })

  test('who is disabled ends when somebody tries to log in as them', async () => {
    setEntries([...without('ada'), fakePerson('ada', { nsAccountLock: ['true'] })])
    assert.equal((await logIn('ada')).status, 401)
    assert.deepEqual(await alive(), ['grace', 'edsger', 'barbara'])
    setEntries(everybody())
    assert.equal((await logIn('ada')).status, 201, 'back without a sync')
  })

  test('who is removed ends soon after somebody tries to log in as them', async () => {
    setEntries(without('ada'))
    assert.deepEqual(await muster.syncPeople(), [])
    assert.deepEqual(await alive(), names, 'it is not the turn of the provider')
    assert.equal((await logIn('ada')).status, 401)
    assert.deepEqual(await muster.syncPeople(), [])
    assert.deepEqual(await alive(), ['grace', 'edsger', 'barbara'])
  })

  test('whom an administrator disabled stays so', async () => {
    const row = muster.database.db.selectFrom('users').where('name', '=', 'ada').select('id')
    const { id } = await row.executeTakeFirstOrThrow()
    const set = (enabled: boolean) => muster.call('PUT', `/v3/users/${id}`, { user: { enabled } })
    assert.equal((await set(false)).status, 200)
    setEntries(without('ada'))
    assert.deepEqual(await muster.syncLater(), [])
    setEntries(everybody())
    assert.deepEqual(await muster.syncLater(), [])
    assert.equal((await logIn('ada')).status, 401)
    assert.equal((await set(true)).status, 200)
    assert.equal((await logIn('ada')).status, 201)
  })

  test('whom an administrator enabled and disabled after a sync had ended them stays so', async () => {
    const row = muster.database.db.selectFrom('users').where('name', '=', 'ada').select('id')
    const { id } = await row.executeTakeFirstOrThrow()
    setEntries(without('ada'))
    assert.deepEqual(await muster.syncLater(), [])
    const set = (enabled: boolean) => muster.call('PUT', `/v3/users/${id}`, { user: { enabled } })
    for (const enabled of [true, false]) assert.equal((await set(enabled)).status, 200)
    setEntries(everybody())
    assert.equal((await logIn('ada')).status, 401)
    assert.deepEqual(await muster.syncLater(), [])
    assert.equal((await logIn('ada')).status, 401)
    assert.equal((await set(true)).status, 200)
    assert.equal((await logIn('ada')).status, 201)
  })

  test('roles follow the groups, and those that a person assigned stay', async () => {
    const row = muster.database.db.selectFrom('users').where('name', '=', 'ada').select('id')
    const { id } = await row.executeTakeFirstOrThrow()
    const viewer = await muster.roleId('project_viewer')
    const { db } = muster.database
    const project = await db
      .selectFrom('projects')
      .where('name', '=', 'system')
      .select('id')
      .executeTakeFirstOrThrow()
    const path = `/v3/projects/${project.id}/users/${id}/roles/${viewer}`
    const assigned = await muster.call('PUT', path)
    assert.ok(assigned.status < 300, assigned.text)
    assert.deepEqual(await rolesOf('ada'), ['domain_viewer on Default', 'project_viewer on system'])
    setEntries(everybody(), ['grace', 'edsger', 'barbara'])
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await holders(), ['barbara', 'edsger', 'grace'])
    assert.deepEqual(await rolesOf('ada'), ['project_viewer on system'])
    setEntries(everybody())
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await holders(), [...names].sort())
  })

  describe('nobody ends and no role is lost because of', () => {
    const faults: Record<string, readonly [RegExp, FakeLdap['state']['fault'] | (() => void)]> = {
      'an answer without people': [/4 of 4 people would end/, () => setEntries([])],
      'an answer with one of four': [
        /3 of 4 people would end/,
        () => setEntries([fakePerson('ada')]),
      ],
      'an answer without groups': [
        /4 of 4 people would lose roles/,
        () => setEntries(everybody(), []),
      ],
      'a base that cannot be read': [
        /base_dn cannot be read/,
        () => void ldap.entries.splice(0, Infinity, ...base.slice(1)),
      ],
      'an answer that ends at a limit': [
        /0x4/,
        (operation, socket, id) => operation === 'search' && socket.write(ldapResult(id, 0x65, 4)),
      ],
      'a connection that closes': [
        /closed the connection/,
        (operation, socket) => operation === 'search' && socket.destroy(),
      ],
      'a search that is not allowed': [
        /0x32/,
        (operation, socket, id) => operation === 'search' && socket.write(ldapResult(id, 0x65, 50)),
      ],
      garbage: [/does not speak LDAP/, (_, socket) => socket.write('garbage')],
      'a part of the values': [
        /a part of cn only/,
        () => {
          setEntries(everybody(), [])
          ldap.entries.push({
            dn: 'cn=x,dc=example,dc=org',
            attributes: { 'cn;range=0-1': ['staff'], member: names.map(dnOf) },
          })
        },
      ],
    }
    for (const [name, [reason, fault]] of Object.entries(faults)) {
      test(name, async () => {
        // A function without parameters changes the entries.
        if (fault?.length === 0) (fault as () => void)()
        else ldap.state.fault = fault
        const [problem = '', ...others] = await muster.syncLater()
        assert.match(problem, reason)
        assert.deepEqual(others, [])
        assert.deepEqual(await alive(), names)
        assert.deepEqual(await holders(), [...names].sort())
        const [event] = await muster.events(`target_id=${provider.id}&action=sync`)
        assert.deepEqual([event?.result, event?.changes['reason']?.[1]], ['failure', problem])
      })
    }
  })

  test('a limit of 100 lets all of them end', async () => {
    setEntries([fakePerson('ada')])
    await muster.changeProvider(provider.id, { options: { sync_limit: 100 } })
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await alive(), ['ada'])
    await muster.changeProvider(provider.id, { options: { sync_limit: 50 } })
  })

  test('a rule that is removed takes its roles at the next sync, from all', async () => {
    const { mapping } = provider
    await muster.changeProvider(provider.id, { mapping: [] })
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await holders(), [])
    await muster.changeProvider(provider.id, { mapping })
    assert.deepEqual(await muster.syncLater(), [])
    assert.deepEqual(await holders(), [...names].sort())
  })

  test('the last administrator stays, is named, and the others end', async () => {
    const { db, commitIdentity } = muster.database
    const userNamed = (name: string) =>
      db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
    const { id: first, password_hash } = await userNamed('sysadmin')
    const setPassword = (hash: string | null) =>
      commitIdentity([
        db.updateTable('users').set({ password_hash: hash }).where('id', '=', first).compile(),
      ])
    const { id: userId } = await userNamed('ada')
    const projectId = await muster.identities.addProject('of ada')
    const roles = [
      await muster.identities.assign({ role: 'admin', userId }),
      await muster.identities.assign({ role: 'project_owner', userId, projectId }),
    ]
    await setPassword(null)
    setEntries(without('ada', 'grace'))
    for (let turn = 0; turn < 2; turn += 1) {
      const [problem = '', ...more] = await muster.syncLater()
      assert.match(problem, /all but this was done: user ada: .*last system administrator/)
      assert.deepEqual(more, [])
      const [event] = await muster.events(`target_id=${provider.id}&action=sync`)
      assert.equal(event?.changes['reason']?.[1], problem)
    }
    assert.deepEqual([(await userNamed('ada')).enabled, (await userNamed('grace')).enabled], [1, 0])
    assert.deepEqual(await alive(), ['edsger', 'barbara'], 'the logins at the directory end')
    await setPassword(password_hash)
    assert.deepEqual(await muster.syncLater(), [])
    assert.equal((await userNamed('ada')).enabled, 0)
    await commitIdentity([db.deleteFrom('assignments').where('id', 'in', roles).compile()])
  })

  test('a provider that is disabled is not synced', async () => {
    setEntries(without('ada'))
    await muster.changeProvider(provider.id, { enabled: false })
    const { connections } = ldap.state
    assert.deepEqual(await muster.syncLater(), [])
    assert.equal(ldap.state.connections, connections)
    await muster.changeProvider(provider.id, { enabled: true })
  })
})
