import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TokenBody } from '@muster/contract'
import { Ajv } from 'ajv'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform, adminPassword } from '../../testing/start-platform.ts'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
} from '../../testing/client.ts'

const matchesContract = new Ajv({ strict: false, validateFormats: false }).compile(TokenBody)

onEngineOfLane('the token operation', (engine) => {
  let platform: TestPlatform
  let url: string
  before(async () => {
    platform = await startPlatform({ engine })
    url = platform.url
  })
  after(() => platform.close())

  const admin = passwordIdentity('sysadmin', adminPassword)

  test('returns 201 with exactly the token object and its headers', async () => {
    const answer = await requestToken(url, { identity: admin, scope: systemProject })
    assert.equal(answer.status, 201)
    assert.ok(matchesContract(answer.body), JSON.stringify(matchesContract.errors))
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.equal(answer.headers.get('vary'), 'X-Auth-Token')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('x-subject-token') ?? '', /^mt1_[\w-]{49}$/)
    assert.match(answer.headers.get('x-muster-request-id') ?? '', /^req-[0-9a-f-]{36}$/)
    assert.match(answer.headers.get('x-request-id') ?? '', /^req-[0-9a-f-]{36}$/)
    assert.equal(Number(answer.headers.get('content-length')), Buffer.byteLength(answer.text))
    assert.ok(answer.headers.get('date'))
  })

  test('accepts a project scope by id and by name', async () => {
    const byName = await requestToken(url, { identity: admin, scope: systemProject })
    const { project } = byName.body.token
    const byId = await requestToken(url, {
      identity: admin,
      scope: { project: { id: project.Id } },
    })
    assert.deepEqual(byId.body.token.project, project)
    assert.deepEqual(byId.body.token.policies, {
      Domain: [],
      Project: ['project_owner'],
      System: ['system_admin'],
    })
  })

  test('issues an unscoped token without roles to a user without a default project', async () => {
    const { body } = await requestToken(url, { identity: admin })
    assert.deepEqual(body.token.project, { Domain: { id: '', name: '' }, Id: '', Name: '' })
    assert.deepEqual([body.token.roles, body.token.catalog], [[], []])
    assert.equal(body.token.role_assignments.length, 2)
    assert.equal(body.token.projects.length, 1)
  })

  test('a token can be exchanged for another, which ends with it', async () => {
    const parent = await loginAdmin(url)
    const child = await requestToken(url, { identity: tokenIdentity(parent), scope: systemProject })
    const secret = secretOf(child)
    assert.deepEqual(child.body.token.methods, ['token'])
    const revoked = await ask(url, '/v3/auth/tokens', {
      method: 'DELETE',
      token: parent,
      headers: { 'x-subject-token': parent },
    })
    assert.equal(revoked.status, 204)
    for (const token of [parent, secret]) {
      const answer = await ask(url, '/v3/auth/projects', { token })
      assert.equal(answer.status, 401)
    }
  })
})
