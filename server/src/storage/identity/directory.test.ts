import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Directory, MemberReference } from '../../domain/identity/ports.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { createdAt } from '../../testing/identity-world/identity-rows.ts'
import type { Database } from '../database.ts'
import { createDirectory } from './directory.ts'
import { newId } from '../../domain/new-id.ts'

const unrestricted = {
  localPasswords: 'on',
  localPasswordsSince: null,
  loginRules: { networks: [], session_idle: null, session_lifetime: null, token_lifetime: null },
}

onBothEngines('the directory', (engine) => {
  let storage: TestStorage
  let database: Database
  let directory: Directory
  let identities: IdentityWorld
  let away: string
  before(async () => {
    storage = await openStorage(engine)
    database = storage.database
    directory = createDirectory(database)
    identities = createIdentityWorld(database)
    away = await identities.addDomain('Away')
  })
  after(() => storage.close())

  const userWithRoles = async (userId: string) => {
    const userStatus = await directory.loadUserStatus(userId)
    assert.ok(userStatus, 'the user has a userStatus')
    return userStatus
  }

  describe('findCredentials', () => {
    let jose: string
    let joseAway: string
    before(async () => {
      jose = await identities.addUser({
        name: 'José Straße',
        passwordHash: 'hash of home',
        passwordExpiresAt: 1_234,
      })
      joseAway = await identities.addUser({
        name: 'José Straße',
        domainId: away,
        passwordHash: 'hash of away',
      })
    })

    const credentialsOf = async (user: MemberReference) =>
      (await directory.findCredentials(user)).credentials
    const find = async (user: MemberReference) => (await credentialsOf(user))?.user.id
    const lookupKeyOf = async (user: MemberReference) =>
      (await directory.findCredentials(user)).lookupKey

    test('returns the hash and when the password expires', async () => {
      assert.deepEqual(await credentialsOf({ id: jose }), {
        user: { id: jose, name: 'José Straße', domainId: 'default' },
        passwordHash: 'hash of home',
        passwordExpiresAt: 1_234,
        isBreakGlass: false,
        isPasswordRefused: false,
      })
      assert.deepEqual(await credentialsOf({ id: joseAway }), {
        user: { id: joseAway, name: 'José Straße', domainId: away },
        passwordHash: 'hash of away',
        passwordExpiresAt: null,
        isBreakGlass: false,
        isPasswordRefused: false,
      })
    })

    test('finds a user without a password', async () => {
      const id = await identities.addUser({ name: 'no password' })
      assert.deepEqual(await credentialsOf({ id }), {
        user: { id, name: 'no password', domainId: 'default' },
        passwordHash: null,
        passwordExpiresAt: null,
        isBreakGlass: false,
        isPasswordRefused: false,
      })
    })

    test('finds one account under all spellings of its name', async () => {
      const spellings = [
        'José Straße',
        'JOSÉ STRASSE',
        'josé straße',
        'Jose\u0301 Straße',
        '  José Straße\t',
        '\u3000José Straße\u00A0',
        'Ｊｏｓé　Ｓｔｒａßｅ',
      ]
      for (const name of spellings) {
        assert.equal(await find({ name }), jose, name)
        assert.equal(await find({ name, domain: { id: away } }), joseAway, name)
      }
    })

    test('searches the default domain if the domain is missing or empty', async () => {
      assert.equal(await find({ name: 'José Straße' }), jose)
      assert.equal(await find({ name: 'José Straße', domain: {} }), jose)
      const onlyAway = await identities.addUser({ name: 'only away', domainId: away })
      assert.equal(await find({ name: 'only away' }), undefined)
      assert.equal(await find({ name: 'only away', domain: { name: 'away' } }), onlyAway)
    })

    test('finds the domain by id and by any spelling of its name', async () => {
      const name = 'josé straße'
      for (const domain of [{ id: away }, { name: 'Away' }, { name: ' AWAY' }, { name: 'ａway' }]) {
        assert.equal(await find({ name, domain }), joseAway, JSON.stringify(domain))
      }
      assert.equal(await find({ name, domain: { id: 'default', name: 'DEFAULT' } }), jose)
    })

    test('finds a user of any domain by id alone', async () => {
      assert.equal(await find({ id: joseAway }), joseAway)
      assert.equal(await find({ id: joseAway, name: 'josé straße' }), joseAway)
      assert.equal(await find({ id: joseAway, domain: { name: 'away' } }), joseAway)
    })

    test('finds no user if the references disagree', async () => {
      const name = 'José Straße'
      const disagreeing: MemberReference[] = [
        { id: jose, name: 'sysadmin' },
        { id: jose, domain: { id: away } },
        { id: jose, domain: { name: 'Away' } },
        { id: joseAway, domain: { id: 'default' } },
        { id: joseAway, name, domain: { name: 'Default' } },
        { name, domain: { id: away, name: 'Default' } },
        { name, domain: { id: 'default', name: 'Away' } },
      ]
      for (const user of disagreeing) {
        assert.equal(await find(user), undefined, JSON.stringify(user))
      }
    })

    test('does not find missing users, and matches no patterns', async () => {
      const absent: MemberReference[] = [
        { id: 'nobody' },
        { id: jose.toUpperCase() },
        { name: 'nobody' },
        { name: 'jos%' },
        { name: '_osé straße' },
        { name: "' or 1=1 --" },
        { name: 'josé straße', domain: { name: 'nowhere' } },
        { name: 'josé straße', domain: { id: 'DEFAULT' } },
        { id: '', name: '' },
      ]
      for (const user of absent) assert.equal(await find(user), undefined, JSON.stringify(user))
    })

    test('SEC-22: has one lookupKey for all ways to name a missing account', async () => {
      const ways: MemberReference[] = [
        { name: 'Absent Straße' },
        { name: ' ABSENT STRASSE' },
        { name: 'ａbsent straße', domain: {} },
        { name: 'absent straße', domain: { id: 'default' } },
        { name: 'absent straße', domain: { name: ' DEFAULT' } },
        { name: 'absent straße', domain: { id: 'default', name: 'Default' } },
      ]
      const spellings = new Set<string>()
      for (const way of ways) {
        assert.equal(await find(way), undefined)
        spellings.add(await lookupKeyOf(way))
      }
      assert.equal(spellings.size, 1, [...spellings].join(' '))

      const others = [
        { name: 'absent' },
        { name: 'absent straße', domain: { id: away } },
        { name: 'absent straße', domain: { name: 'nowhere' } },
        { id: 'absent straße' },
      ]
      for (const other of others) spellings.add(await lookupKeyOf(other))
      assert.equal(spellings.size, 1 + others.length, [...spellings].join(' '))
    })
  })

  describe('loadUserStatus', () => {
    let user: string
    before(async () => {
      user = await identities.addUser({ name: 'holder', expiresAt: 5_000 })
      await identities.addRole('reader', 'project', [
        { service: 'compute', resource: 'servers', action: 'list', effect: 'allow' },
      ])
    })

    /** What a user holds, in short. */
    async function rolesOf(userId: string): Promise<string[]> {
      const { assignments } = await userWithRoles(userId)
      return assignments.map(({ role, group, target }) => {
        const place =
          target.kind === 'project'
            ? `${target.project.domain.name}/${target.project.name}`
            : target.kind === 'domain'
              ? target.domain.name
              : 'everything'
        return `${role.name} on ${target.kind} ${place}${group ? ` by ${group.name}` : ''}`
      })
    }

    test('returns undefined for a missing user', async () => {
      assert.equal(await directory.loadUserStatus('nobody'), undefined)
      assert.equal(await directory.loadUserStatus(''), undefined)
    })

    test('has no assignments for a user without roles', async () => {
      const bare = await identities.addUser({ name: 'bare', domainId: away })
      assert.deepEqual(await userWithRoles(bare), {
        user: {
          id: bare,
          name: 'bare',
          displayname: '',
          email: '',
          mobile: '',
          enabled: true,
          domain: {
            id: away,
            name: 'Away',
            description: '',
            enabled: true,
            createdAt,
            ...unrestricted,
          },
          defaultProjectId: null,
          passwordExpiresAt: null,
          expiresAt: null,
          isBreakGlass: false,
        },
        hasFactor: false,
        assignments: [],
      })
    })

    test('has roles in a project with the policies of each', async () => {
      const project = await identities.addProject('mine', away)
      await identities.assign({ role: 'reader', userId: user, projectId: project })
      const { user: record, assignments } = await userWithRoles(user)
      assert.equal(record.expiresAt, 5_000)
      assert.equal(assignments.length, 1)
      const [assignment] = assignments
      assert.deepEqual(assignment?.target, {
        kind: 'project',
        project: {
          id: project,
          name: 'mine',
          description: '',
          enabled: true,
          createdAt,
          domain: {
            id: away,
            name: 'Away',
            description: '',
            enabled: true,
            createdAt,
            ...unrestricted,
          },
        },
      })
      assert.equal(assignment?.group, undefined)
      assert.equal(assignment?.role.name, 'reader')
      assert.deepEqual(assignment?.role.domain, { id: 'default', name: 'Default' })
      const [policy] = assignment?.role.policies ?? []
      assert.deepEqual(
        { ...policy, id: '' },
        {
          id: '',
          name: 'reader_policy',
          scope: 'project',
          enabled: true,
          rules: [{ service: 'compute', resource: 'servers', action: 'list', effect: 'allow' }],
          roleId: assignment?.role.id,
        },
      )
    })

    test('has direct roles and roles of groups, in projects, domains and the system', async () => {
      const many = await identities.addUser({ name: 'many' })
      const project = await identities.addProject('shared')
      const group = await identities.addGroup('ops', [many])
      const others = await identities.addGroup('others', [user])
      await identities.assign({ role: 'project_owner', userId: many, projectId: project })
      await identities.assign({ role: 'project_viewer', groupId: group, projectId: project })
      await identities.assign({ role: 'domain_admin', groupId: group, domainId: away })
      await identities.assign({ role: 'auditor', userId: many })
      await identities.assign({ role: 'admin', groupId: others })
      assert.deepEqual(await rolesOf(many), [
        'auditor on system everything',
        'domain_admin on domain Away by ops',
        'project_owner on project Default/shared',
        'project_viewer on project Default/shared by ops',
      ])
      const { assignments } = await userWithRoles(many)
      assert.deepEqual(assignments[3]?.group, {
        id: group,
        name: 'ops',
        domain: { id: 'default', name: 'Default' },
      })
    })

    test('loses the roles of a group with the membership', async () => {
      const member = await identities.addUser({ name: 'member' })
      const group = await identities.addGroup('brief', [member])
      await identities.assign({ role: 'auditor', groupId: group })
      assert.deepEqual(await rolesOf(member), ['auditor on system everything by brief'])
      await identities.change(
        database.db.deleteFrom('group_members').where('user_id', '=', member).compile(),
      )
      assert.deepEqual(await rolesOf(member), [])
    })

    test('shows disabled resources as disabled', async () => {
      const { db } = database
      const domain = await identities.addDomain('shut')
      const project = await identities.addProject('closed', domain)
      const holder = await identities.addUser({ name: 'off', domainId: domain, enabled: false })
      await identities.assign({ role: 'reader', userId: holder, projectId: project })
      await identities.assign({ role: 'domain_viewer', userId: holder, domainId: domain })

      const enabledFlags = async () => {
        const { user: record, assignments } = await userWithRoles(holder)
        return {
          user: record.enabled,
          userDomain: record.domain.enabled,
          places: assignments.map(({ target }) =>
            target.kind === 'project'
              ? [target.project.enabled, target.project.domain.enabled]
              : target.kind === 'domain' && target.domain.enabled,
          ),
          policies: assignments.flatMap(({ role }) => role.policies.map(({ enabled }) => enabled)),
        }
      }
      const allOn = { userDomain: true, places: [true, [true, true]], policies: [true, true] }
      assert.deepEqual(await enabledFlags(), { user: false, ...allOn })

      await identities.change(
        db.updateTable('domains').set({ enabled: 0 }).where('id', '=', domain).compile(),
        db.updateTable('projects').set({ enabled: 0 }).where('id', '=', project).compile(),
        db
          .updateTable('policies')
          .set({ enabled: 0 })
          .where('name', '=', 'reader_policy')
          .compile(),
      )
      assert.deepEqual(await enabledFlags(), {
        user: false,
        userDomain: false,
        places: [false, [false, false]],
        policies: [true, false],
      })
    })

    test('SEC-16: does not include roles of a group with the same id as the user', async () => {
      const id = await identities.addUser({ name: 'twin' })
      const { db } = database
      const domain_id = 'default'
      const twin = { id, domain_id, name: 'twins', name_key: 'twins', created_at: 0 }
      await identities.change(db.insertInto('groups').values(twin).compile())
      await identities.assign({ role: 'admin', groupId: id })
      assert.deepEqual(await rolesOf(id), [])
    })
  })

  test('names are unique by their key, within a domain or globally', async () => {
    const taken = (work: Promise<unknown>) => assert.rejects(work, /unique/)
    await identities.addUser({ name: 'Unique' })
    await taken(identities.addUser({ name: ' ＵＮＩＱＵＥ' }))
    await identities.addUser({ name: 'unique', domainId: away })
    await identities.addProject('Unique')
    await taken(identities.addProject('unique '))
    await identities.addProject('unique', away)
    await taken(identities.addDomain('AWAY'))
    await taken(identities.addRole('Admin', 'system', []))
  })

  test('a role is assigned once per user or group and scope', async () => {
    const holder = await identities.addUser({ name: 'once' })
    const group = await identities.addGroup('once', [holder])
    const projectId = await identities.addProject('once')
    const held = { role: 'admin', userId: holder }
    await identities.assign(held)
    await assert.rejects(identities.assign(held), /unique/)
    await assert.rejects(identities.assign({ role: 'admin' }))
    await assert.rejects(identities.assign({ ...held, groupId: group, projectId }))
    await assert.rejects(identities.assign({ ...held, projectId, domainId: away }))
  })

  test('SEC-16: role assignments are deleted with their domain', async () => {
    const { db } = database
    const rolesOf = async (
      column: 'user_id' | 'group_id' | 'project_id' | 'domain_id',
      id: string,
    ) => (await db.selectFrom('assignments').where(column, '=', id).select('id').execute()).length
    const domain = await identities.addDomain('brief')
    const project = await identities.addProject('brief', domain)
    const holder = await identities.addUser({ name: 'brief', domainId: domain })
    const group = await identities.addGroup('briefer', [holder])
    await identities.assign({ role: 'domain_viewer', groupId: group, domainId: domain })
    await identities.assign({ role: 'reader', userId: holder, projectId: project })
    await identities.change(db.deleteFrom('domains').where('id', '=', domain).compile())
    assert.deepEqual(
      [
        await rolesOf('user_id', holder),
        await rolesOf('group_id', group),
        await rolesOf('project_id', project),
        await rolesOf('domain_id', domain),
      ],
      [0, 0, 0, 0],
    )
    assert.equal(await directory.loadUserStatus(holder), undefined)
  })

  test('SEC-16: ids are generated by the server, long and unique', () => {
    const ids = Array.from({ length: 10_000 }, newId)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
  })
})
