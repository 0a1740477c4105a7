import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { heldIn, startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { secretOf } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'

type Attributes = Readonly<Record<string, readonly string[]>>

onEngineOfLane('the mapping of a CAS provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let cas: FakeCas
  let provider: string
  let campus: string
  let lab: string
  let hall: string
  let viewer: string
  let editor: string
  let domainViewer: string
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    campus = await muster.identities.addDomain('campus')
    lab = await muster.identities.addProject('lab', campus)
    hall = await muster.identities.addProject('hall', campus)
    viewer = await muster.roleId('project_viewer')
    editor = await muster.roleId('project_editor')
    domainViewer = await muster.roleId('domain_viewer')
    provider = (await muster.addProvider(cas, { domain_id: campus, mapping: standard() })).id
  })

  const rule = (value: string, role_id: string, place: object) => ({
    attribute: 'group',
    value,
    role_id,
    ...place,
  })
  const standard = () => [
    rule('staff', viewer, { project_id: lab }),
    rule('staff', editor, { project_id: hall }),
    rule('heads', domainViewer, { domain_id: campus }),
  ]
  const map = (mapping: readonly object[]) => muster.changeProvider(provider, { mapping })
  const logIn = (name: string, attributes: Attributes, scope?: unknown) =>
    muster.logIn(cas.ticketFor(name, attributes), scope)
  const held = async (name: string, attributes: Attributes) =>
    heldIn((await logIn(name, attributes)).body.token.role_assignments)
  const idOf = async (name: string) => (await logIn(name, {})).body.token.user.Id
  const rolePath = (userId: string, roleId: string) =>
    `/v3/projects/${lab}/users/${userId}/roles/${roleId}`
  const staff = { group: ['staff'] }

  test('grants the roles of every matching rule, on projects and domains', async () => {
    assert.deepEqual(await held('everybody', { group: ['guests', 'staff', 'heads'] }), [
      'domain_viewer on campus',
      'project_editor on hall',
      'project_viewer on lab',
    ])
    assert.deepEqual(await held('staffer', staff), [
      'project_editor on hall',
      'project_viewer on lab',
    ])
    assert.deepEqual(await held('guest', { group: ['guests'] }), [])
    assert.deepEqual(await held('blank', {}), [])
  })

  test('finds a project by its name without a domain, also at the first login', async () => {
    const elsewhere = await muster.identities.addProject('lab')
    await map([...standard(), rule('staff', viewer, { project_id: elsewhere })])
    const answer = await logIn('newcomer', staff, { project: { name: 'lab' } })
    assert.equal(answer.body.token.project.Id, lab, 'the one of the own domain')
    await map([rule('staff', viewer, { project_id: elsewhere })])
    const { token } = (await logIn('stranger', staff, { project: { name: 'Lab' } })).body
    assert.equal(token.project.Id, elsewhere, 'the only one')
    await map(standard())
    const nowhere = await logIn('nobody', staff, { project: { name: 'nowhere' } })
    await muster.assertRefused(nowhere, /^no role there$/)
  })

  test('without a matching rule the token is unscoped', async () => {
    const { token } = (await logIn('guest', { group: ['guests'] })).body
    assert.deepEqual([token.roles, token.catalog, token.project.Id], [[], [], ''])
    const scope = { project: { id: lab } }
    await muster.assertRefused(await logIn('guest', {}, scope), /^no role there$/)
  })

  test('applies to the scope requested by the same login', async () => {
    const inLab = await logIn('prompt', staff, { project: { id: lab } })
    assert.deepEqual(inLab.body.token.project.Name, 'lab')
    assert.deepEqual(
      inLab.body.token.roles.map(({ name }) => name),
      ['project_viewer'],
    )
    assert.equal(inLab.body.token.catalog.length > 0, true)
    const named = { project: { name: 'hall', domain: { name: 'campus' } } }
    assert.equal((await logIn('prompter', staff, named)).body.token.project.Name, 'hall')
    const onDomain = await logIn('head', { group: ['heads'] }, { domain: { id: campus } })
    assert.deepEqual([onDomain.status, onDomain.body.token.is_domain], [201, true])
    // And revoked in the same login.
    const demoted = await logIn('head', staff, { domain: { id: campus } })
    await muster.assertRefused(demoted, /^no role there$/)
  })

  test('compares values exactly, and only of the given attribute', async () => {
    const near: Attributes[] = [
      { group: ['Staff'] },
      { group: ['staf'] },
      { group: ['staff, heads'] },
      { group: ['sta', 'ff'] },
      { group: ['.*', '*', ''] },
      { Group: ['staff'] },
      { groups: ['staff'] },
      { user: ['staff'], role: ['staff'] },
    ]
    for (const attributes of near) assert.deepEqual(await held('nearly', attributes), [])
    assert.equal((await held('nearly', { group: [' staff '] })).length, 2)
  })

  describe('at the next login', () => {
    test('SEC-03: revokes roles that no attribute grants any more and ends their tokens', async () => {
      const inLab = secretOf(await logIn('mover', staff, { project: { id: lab } }))
      const heads = { group: ['heads', 'staff'] }
      const onDomain = secretOf(await logIn('mover', heads, { domain: { id: campus } }))
      assert.deepEqual([await muster.statusOf(inLab), await muster.statusOf(onDomain)], [200, 200])
      assert.equal((await held('mover', staff)).length, 2)
      assert.deepEqual([await muster.statusOf(inLab), await muster.statusOf(onDomain)], [200, 401])
      assert.deepEqual(await held('mover', {}), [])
      assert.deepEqual([await muster.statusOf(inLab), await muster.statusOf(onDomain)], [401, 401])
      assert.equal((await held('mover', heads)).length, 3)
    })

    test('does not affect other users', async () => {
      const bystander = secretOf(await logIn('bystander', staff, { project: { id: lab } }))
      await held('leaver', staff)
      assert.deepEqual(await held('leaver', {}), [])
      assert.equal(await muster.statusOf(bystander), 200)
    })

    test('is recorded in the audit log if it changed anything', async () => {
      const id = await idOf('audited')
      const mapped = async () =>
        (await muster.events(`target_id=${id}&action=map`)).map(
          ({ user_id, domain_id, changes }) => [user_id, domain_id, changes],
        )
      assert.deepEqual(await mapped(), [])
      await held('audited', staff)
      const given = [id, campus, { assignments: [{ taken: 0 }, { given: 2 }] }]
      assert.deepEqual(await mapped(), [given])
      await held('audited', staff)
      assert.deepEqual(await mapped(), [given])
      await held('audited', { group: ['heads'] })
      const changed = [id, campus, { assignments: [{ taken: 2 }, { given: 1 }] }]
      assert.deepEqual(await mapped(), [changed, given])
    })

    test('applies a changed mapping', async () => {
      assert.equal((await held('follower', staff)).length, 2)
      await map([rule('staff', viewer, { project_id: hall })])
      assert.deepEqual(await held('follower', staff), ['project_viewer on hall'])
      // A rule without an attribute applies to everyone; duplicates count once.
      await map([
        { role_id: viewer, project_id: lab },
        { role_id: viewer, project_id: lab },
        rule('staff', viewer, { project_id: lab }),
      ])
      assert.deepEqual(await held('follower', staff), ['project_viewer on lab'])
      assert.deepEqual(await held('anybody', {}), ['project_viewer on lab'])
      await map([])
      assert.deepEqual(await held('follower', staff), [])
      await map(standard())
    })
  })

  describe('roles granted manually', () => {
    const grant = async (userId: string, roleId: string) =>
      assert.equal((await muster.call('PUT', rolePath(userId, roleId))).status, 204)

    test('stay whatever the attributes are', async () => {
      const id = await idOf('trusted')
      await grant(id, editor)
      assert.deepEqual(await held('trusted', {}), ['project_editor on lab'])
      assert.equal((await held('trusted', staff)).length, 3)
      assert.deepEqual(await held('trusted', {}), ['project_editor on lab'])
    })

    test('stay if a rule grants the same role before or after', async () => {
      const id = await idOf('both')
      await grant(id, viewer)
      assert.equal((await held('both', staff)).length, 2)
      assert.deepEqual(await held('both', {}), ['project_viewer on lab'])
    })

    test('stay if a rule had granted the same role before', async () => {
      const { Id: id } = (await logIn('promoted', staff)).body.token.user
      await grant(id, viewer)
      assert.deepEqual(await held('promoted', {}), ['project_viewer on lab'])
    })

    test('can be revoked manually, as can roles of a rule until it grants them again', async () => {
      const { Id: id } = (await logIn('stripped', staff)).body.token.user
      assert.equal((await muster.call('DELETE', rolePath(id, viewer))).status, 204)
      const assignments = await muster.call<{ role_assignments: unknown[] }>(
        'GET',
        `/v3/role_assignments?user.id=${id}`,
      )
      assert.equal(assignments.body.role_assignments.length, 1)
      assert.equal((await held('stripped', staff)).length, 2)
    })
  })

  describe('a rule without a valid target grants nothing and does not fail the login:', () => {
    test('deleted project', async () => {
      const passing = await muster.identities.addProject('passing', campus)
      await map([...standard(), rule('staff', viewer, { project_id: passing })])
      assert.equal((await held('survivor', staff)).length, 3)
      assert.equal((await muster.call('DELETE', `/v3/projects/${passing}`)).status, 204)
      assert.equal((await held('survivor', staff)).length, 2)
      await map(standard())
    })

    test('deleted role', async () => {
      const name = newId()
      await muster.identities.addRole(name, 'project', [])
      const role = await muster.roleId(name)
      await map([...standard(), rule('staff', role, { project_id: lab })])
      assert.equal((await held('outliver', staff)).length, 3)
      assert.equal((await muster.call('DELETE', `/v3/roles/${role}`)).status, 204)
      assert.equal((await held('outliver', staff)).length, 2)
      await map(standard())
    })
  })
})
