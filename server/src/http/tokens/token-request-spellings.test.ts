import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requestToken, systemProject } from '../../testing/client.ts'
import {
  plainHash,
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'a password in any spelling'

onEngineOfLane('spellings in a login', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let userId: string
  let domainId: string
  let projectId: string
  before(async () => {
    platform = await startPlatform({ engine })
    logins = await startMeasuredLogins(platform)
    const identities = createIdentityWorld(platform.database)
    domainId = await identities.addDomain('Größe')
    projectId = await identities.addProject('Lab', domainId)
    userId = await identities.addUser({
      name: 'Ünal Straße',
      domainId,
      passwordHash: plainHash(password),
    })
    await identities.assign({ role: 'project_owner', userId, projectId })
    await identities.assign({ role: 'domain_admin', userId, domainId })
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const login = (user: object, scope?: unknown) =>
    requestToken(logins.url, {
      identity: { methods: ['password'], password: { user: { password, ...user } } },
      ...(scope !== undefined && { scope }),
    })
  const logsIn = async (user: object, scope?: unknown) => {
    const { status, body, text } = await login(user, scope)
    assert.equal(status, 201, `${JSON.stringify([user, scope])} ${text}`)
    assert.equal(body.token.user.Id, userId)
    return body.token
  }

  test('Domain, Id and Name are accepted in any case', async () => {
    for (const domainKey of ['Domain', 'domain', 'DOMAIN']) {
      for (const idKey of ['id', 'Id', 'ID']) {
        await logsIn({ [idKey]: userId })
        await logsIn({ [idKey]: userId, [domainKey]: { [idKey]: domainId } })
        for (const nameKey of ['name', 'Name', 'NAME']) {
          await logsIn({ [nameKey]: 'Ünal Straße', [domainKey]: { [idKey]: domainId } })
          await logsIn({ [nameKey]: 'Ünal Straße', [domainKey]: { [nameKey]: 'Größe' } })
        }
      }
    }
  })

  test('the scope keys are accepted in any case', async () => {
    for (const domainKey of ['Domain', 'domain']) {
      for (const [idKey, nameKey] of [
        ['id', 'name'],
        ['Id', 'Name'],
      ] as const) {
        const scopes = [
          { project: { [idKey]: projectId } },
          { project: { [nameKey]: 'Lab', [domainKey]: { [idKey]: domainId } } },
          { project: { [nameKey]: 'Lab', [domainKey]: { [nameKey]: 'Größe' } } },
        ]
        for (const scope of scopes) {
          const token = await logsIn({ id: userId }, scope)
          assert.equal(token.project.Id, projectId)
        }
        for (const domain of [{ [idKey]: domainId }, { [nameKey]: 'Größe' }]) {
          const token = await logsIn({ id: userId }, { [domainKey]: domain })
          assert.equal(token.is_domain, true)
        }
      }
    }
  })

  test('names are equal by NFKC, case and surrounding blanks', async () => {
    const names = [
      'ünal straße',
      'ÜNAL STRASSE',
      '  Ünal Straße  ',
      'U\u0308nal Straße',
      'Ｕ\u0308ｎａｌ Straße',
      '\u00a0Ünal\u00a0Straße',
    ]
    for (const name of names) await logsIn({ name, Domain: { name: 'GRÖSSE ' } })
  })

  test('names that only look alike are different', async () => {
    for (const name of ['Unal Straße', 'Ünal Strase', 'Ünal  Straße', 'ÜnalStraße']) {
      const { status } = await login({ name, Domain: { id: domainId } })
      assert.equal(status, 401, name)
    }
  })

  test('ids are compared exactly', async () => {
    for (const id of [userId.toUpperCase(), ` ${userId}`, `${userId} `, userId.slice(0, -1)]) {
      if (id === userId) continue
      const { status } = await login({ id })
      assert.equal(status, 401, id)
    }
  })

  test('an id and a name must match each other and the domain', async () => {
    await logsIn({ id: userId, name: 'Ünal Straße', Domain: { id: domainId, name: 'Größe' } })
    const wrong = [
      { id: userId, name: 'sysadmin' },
      { id: userId, Domain: { id: 'default' } },
      { id: userId, Domain: { name: 'Default' } },
      { name: 'Ünal Straße', Domain: { id: domainId, name: 'Default' } },
      { name: 'Ünal Straße', Domain: { id: 'default', name: 'Größe' } },
    ]
    for (const user of wrong) assert.equal((await login(user)).status, 401, JSON.stringify(user))
  })

  test('a name without a domain is searched in the default domain', async () => {
    assert.equal((await login({ name: 'Ünal Straße' })).status, 401)
    assert.equal((await login({ name: 'Ünal Straße', Domain: {} })).status, 401)
    await logsIn({ id: userId, Domain: {} })
  })

  test('a scope without a role of the user is a failed login', async () => {
    const foreign = [
      systemProject,
      { domain: { id: 'default' } },
      { project: { id: domainId } },
      { domain: { id: projectId } },
      { project: { id: projectId, name: 'another' } },
      { project: { id: projectId, domain: { id: 'default' } } },
      { project: { name: 'Lab', domain: { id: 'default' } } },
      { domain: { id: domainId, name: 'Default' } },
    ]
    for (const scope of foreign) {
      assert.equal((await login({ id: userId }, scope)).status, 401, JSON.stringify(scope))
    }
  })

  test('the source is one of four values, else "api"', async () => {
    const sourceOf = async (context: object) => {
      const { body } = await requestToken(logins.url, {
        context,
        identity: { methods: ['password'], password: { user: { id: userId, password } } },
      })
      return body.token.context.source
    }
    for (const source of ['web', 'api', 'cli', 'srv']) {
      assert.equal(await sourceOf({ source }), source)
    }
    for (const source of ['', 'CLI', 'admin', 'web ', '__proto__', '<b>']) {
      assert.equal(await sourceOf({ source }), 'api')
    }
    assert.equal(await sourceOf({}), 'api')
  })
})
