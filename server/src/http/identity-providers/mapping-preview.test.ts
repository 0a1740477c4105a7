import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type {
  IdentityProviderDto,
  LoginPreview,
  MappingRule,
  RoleAssignment,
  Token,
} from '@muster/contract'
import { startFakeCas } from '../../testing/fake-cas.ts'
import { heldIn } from '../../testing/cas-platform.ts'
import { fakeGroup, fakePerson, startFakeLdap } from '../../testing/fake-ldap.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startLdapPlatform, type LdapPlatform } from '../../testing/ldap-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** The meaning of a rule, written independently of the server. */
function isMatch({ attribute, value, pattern }: MappingRule, groups: readonly string[]): boolean {
  if (attribute === undefined) return true
  if (attribute !== 'group') return false
  if (pattern === undefined) return groups.includes(value ?? '')
  const parts = pattern.split('*').map((part) => RegExp.escape(part))
  const whole = new RegExp(`^${parts.join('[^]*')}$`, 'u')
  return groups.some((group) => whole.test(group))
}

onEngineOfLane('the preview of a mapping', (engine) => {
  const lifetime = suiteLifetime()
  let muster: LdapPlatform
  let cas: Awaited<ReturnType<typeof startFakeCas>>
  let provider: IdentityProviderDto
  let mapping: MappingRule[]
  before(async () => {
    muster = await startLdapPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    const [lab, web] = [
      await muster.identities.addProject('lab'),
      await muster.identities.addProject('web'),
    ]
    const [owner, viewer] = [
      await muster.roleId('project_owner'),
      await muster.roleId('project_viewer'),
    ]
    mapping = [
      { role_id: viewer, project_id: lab },
      { attribute: 'group', value: 'staff', role_id: owner, project_id: lab },
      { attribute: 'group', pattern: 'team-*', role_id: viewer, project_id: web },
      { attribute: 'group', pattern: '*-ops-*', role_id: owner, project_id: web },
      { attribute: 'group', value: '*', role_id: owner, project_id: web },
      { attribute: 'group', value: 'admin*', role_id: owner, project_id: web },
      { attribute: 'grade', pattern: '*', role_id: owner, project_id: web },
      // The same grant by another rule.
      { attribute: 'group', pattern: 's*f', role_id: owner, project_id: lab },
    ]
    provider = await muster.addProvider(cas, { mapping })
  })

  const preview = async (body: object, id = provider.id) => {
    const answer = await muster.call<{ preview: LoginPreview }>(
      'POST',
      `/v3/identity_providers/${id}/mapping/preview`,
      body,
    )
    return { ...answer, preview: answer.body.preview }
  }
  /** A preview that changes nothing. */
  async function look(body: object, id?: string): Promise<LoginPreview> {
    const rows = await muster.lastingRows()
    const { status, text, preview: shown } = await preview(body, id)
    assert.equal(status, 200, text)
    assert.deepEqual(await muster.lastingRows(), rows)
    return shown
  }
  async function logIn(name: string, group: readonly string[]) {
    const answer = await muster.logIn(cas.ticketFor(name, { group }))
    if (answer.status !== 201) return undefined
    return (answer.body as { token: Token }).token.user
  }
  async function rolesOf(userId: string): Promise<readonly string[]> {
    const query = `user.id=${userId}&include_names=true`
    const { body } = await muster.call<{ role_assignments: RoleAssignment[] }>(
      'GET',
      `/v3/role_assignments?${query}`,
    )
    return heldIn(body.role_assignments)
  }
  const followingRoles = ({ assignments }: LoginPreview) =>
    assignments
      .filter(({ result }) => result !== 'revoke')
      .map(({ role, project, domain }) => `${role} on ${project || domain}`)
      .sort()

  /** Group names, also those that look like roles, patterns and other rules. */
  const groupSets: readonly (readonly string[])[] = [
    [],
    ['staff'],
    ['STAFF', 'staffs', 'st aff'],
    ['team-web'],
    ['team-', 'staff'],
    ['TEAM-web', 'my-team-web', 'team'],
    ['a-ops-b', '-ops-'],
    ['*'],
    ['admin', 'administrator', 'project_owner', 'system_admin', 'domain_admin', 'admin*x'],
    ['admin*'],
    ['sf', 'staff'],
    ['s', 'f', 'fs'],
    ['grade', 'team', '.', '.*', 's.f'],
  ]

  test('says what the login then does, whatever the person had before', async () => {
    for (const [at, groups] of groupSets.entries()) {
      for (const name of [`person ${at}`, 'one for all']) {
        const what = `${name}: ${JSON.stringify(groups)}`
        const shown = await look({ claims: { user: name, group: groups } })
        assert.deepEqual(
          shown.rules.map(({ result }) => result),
          mapping.map((rule) => (isMatch(rule, groups) ? 'match' : 'no_match')),
          what,
        )
        const isNew = name !== 'one for all' || at === 0
        assert.equal(shown.user.result, isNew ? 'create' : 'existing', what)
        if (isNew)
          assert.ok(
            shown.assignments.every(({ result }) => result === 'grant'),
            what,
          )
        const user = await logIn(name, groups)
        assert.ok(user, what)
        assert.deepEqual([shown.user.name, shown.user.id], [name, isNew ? '' : user.Id], what)
        assert.deepEqual(await rolesOf(user.Id), followingRoles(shown), what)
        for (const { result, rules } of shown.assignments) {
          assert.equal(rules.length === 0, result === 'revoke', what)
          for (const rule of rules) assert.equal(shown.rules[rule]?.result, 'match', what)
        }
        // The same once more changes nothing.
        const again = await look({ claims: { user: name, group: groups } })
        assert.deepEqual(
          [...new Set(again.assignments.map(({ result }) => result))],
          ['keep'],
          what,
        )
      }
    }
  })

  test('tells which roles a login takes back, and keeps those that somebody assigned', async () => {
    const user = await logIn('changing', ['staff', 'team-web'])
    assert.ok(user)
    const byHand = await muster.identities.addProject('by hand')
    const owner = await muster.roleId('project_owner')
    const path = `/v3/projects/${byHand}/users/${user.Id}/roles/${owner}`
    assert.ok((await muster.call('PUT', path)).status < 300)
    const shown = await look({ claims: { user: 'changing', group: ['team-x'] } })
    assert.deepEqual(
      shown.assignments.map(({ role, project, result, rules }) => [role, project, result, rules]),
      [
        ['project_viewer', 'lab', 'keep', [0]],
        ['project_viewer', 'web', 'keep', [2]],
        ['project_owner', 'lab', 'revoke', []],
      ],
    )
    await logIn('changing', ['team-x'])
    assert.deepEqual(await rolesOf(user.Id), [
      'project_owner on by hand',
      'project_viewer on lab',
      'project_viewer on web',
    ])
  })

  test('refuses whom a login refuses, and tells why', async () => {
    const gone = await logIn('gone', [])
    assert.ok(gone)
    await muster.call('PUT', `/v3/users/${gone.Id}`, { user: { enabled: false } })
    const cases: Readonly<Record<string, readonly [object, RegExp]>> = {
      'a name that is taken': [{ user: 'sysadmin' }, /did not create/],
      'a disabled user': [{ user: 'gone' }, /disabled/],
      'a name that is none': [{ user: ' x' }, /characters/],
      'no name': [{ group: ['staff'] }, /user must be a text/],
      'a name of another kind': [{ user: ['ada'] }, /user must be a text/],
    }
    for (const [what, [claims, problem]] of Object.entries(cases)) {
      const { user, assignments } = await look({ claims })
      assert.deepEqual([user.result, user.id, assignments], ['refused', '', []], what)
      assert.match(user.problem, problem, what)
    }
    for (const name of ['sysadmin', 'gone']) assert.equal(await logIn(name, []), undefined)
  })

  test('takes rules that are not stored, by the rules of a change', async () => {
    const [rule] = mapping
    assert.ok(rule)
    const claims = { user: 'unsaved', group: ['staff'] }
    const shown = await look({ claims, mapping: [{ ...rule, attribute: 'group', pattern: '*' }] })
    assert.deepEqual(
      shown.rules.map(({ result, value, matched }) => [result, value, matched]),
      [['match', '*', 'staff']],
    )
    assert.deepEqual((await look({ claims, mapping: [] })).assignments, [])
    const wrong: readonly (readonly [object, string])[] = [
      [{ ...rule, role_id: 'none' }, 'mapping.0.role_id'],
      [{ ...rule, project_id: 'none' }, 'mapping.0'],
      [{ ...rule, domain_id: 'default' }, 'mapping.0'],
      [{ ...rule, attribute: 'group' }, 'mapping.0'],
      [{ ...rule, value: 'x' }, 'mapping.0'],
      [{ ...rule, pattern: 'x' }, 'mapping.0'],
      [{ ...rule, attribute: 'group', value: 'x', pattern: 'x' }, 'mapping.0'],
    ]
    for (const [bad, path] of wrong) {
      const { status, body } = await preview({ claims, mapping: [bad] })
      assert.deepEqual([status, body.fields?.[0]?.path], [400, path], JSON.stringify(bad))
      const stored = await muster.call('PUT', `/v3/identity_providers/${provider.id}`, {
        identity_provider: { mapping: [bad] },
      })
      assert.equal(stored.status, 400)
    }
  })

  test('marks a rule whose project is gone', async () => {
    const project_id = await muster.identities.addProject('soon gone')
    const role_id = await muster.roleId('project_viewer')
    const { id } = await muster.addProvider(cas, {
      name: 'with a broken rule',
      mapping: [{ role_id, project_id }],
    })
    assert.ok((await muster.call('DELETE', `/v3/projects/${project_id}`)).status < 300)
    const { rules, assignments } = await look({ claims: { user: 'somebody' } }, id)
    assert.deepEqual([rules.map(({ result }) => result), assignments], [['broken'], []])
  })

  test('needs claims or a login name, and an existing provider', async () => {
    for (const body of [{}, { claims: { user: 'x' }, login_name: 'x' }, { login_name: 'x' }]) {
      assert.equal((await preview(body)).status, 400)
    }
    assert.equal((await preview({ claims: {} }, 'none')).status, 404)
  })

  describe('of a directory', () => {
    test('looks people up by name, without their password', async () => {
      const ldap = await startFakeLdap(lifetime)
      const ada = fakePerson('ada')
      const ended = fakePerson('ended', { shadowExpire: ['1'] })
      ldap.entries.push(ada, ended, fakeGroup('staff', ada.dn))
      const rules = [{ ...mapping[1], attribute: 'groups' }]
      const { id } = await muster.addLdap({ servers: ldap.url }, { mapping: rules })
      const shown = await look({ login_name: 'ada' }, id)
      const { name, displayname, email, subject, result } = shown.user
      assert.deepEqual(
        [name, displayname, email, subject, result],
        ['ada', 'Name of ada', 'ada@example.org', 'uuid-of-ada', 'create'],
      )
      assert.deepEqual(shown.attributes, [
        { name: 'groups', values: ['staff'] },
        { name: 'group_dns', values: ['cn=staff,ou=groups,dc=example,dc=org'] },
      ])
      const token = await muster.logInAs({ name: 'ada' }, 'secret of ada')
      const user = (token.body as { token: Token }).token.user
      assert.deepEqual(await rolesOf(user.Id), followingRoles(shown))
      assert.equal((await look({ login_name: 'ada' }, id)).user.id, user.Id)

      const pasted = { entryUUID: 'uuid-of-ADA', uid: 'x', groups: ['staff'], admin: 'yes' }
      const typed = await look({ claims: pasted }, id)
      assert.deepEqual([typed.user.id, followingRoles(typed)], [user.Id, followingRoles(shown)])

      for (const [login_name, problem] of [
        ['nobody', /nobody of this name/],
        ['*', /nobody of this name/],
        ['ended', /disabled/],
      ] as const) {
        const { user: refused } = await look({ login_name }, id)
        assert.match(refused.problem, problem)
      }
      ldap.close()
      assert.equal((await look({ login_name: 'ada' }, id)).user.result, 'refused')
      const told = await muster.events('action=preview')
      assert.equal(told.length, 6)
    })
  })
})
