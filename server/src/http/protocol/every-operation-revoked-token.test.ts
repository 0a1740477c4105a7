import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation, type OperationId } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane, sampleOperations } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  nonexistentResources,
  type Resources,
} from '../../testing/platform-world/persona-resources.ts'
import {
  operationOf,
  readSecret,
  type PersonaCall,
  type Persona,
  startPlatformWorld,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'

const ids = sampleOperations(operations).map(({ id }) => id)

/** Every method of an operation's route. */
function methodsOf({ method, path }: Operation): string[] {
  if (method === 'GET') return ['GET', 'HEAD']
  return method === 'PUT' && path.startsWith('/v3/') ? ['PUT', 'PATCH'] : [method]
}

/** Every way to present a token; the token operation accepts it as a credential. */
const presentations = ids
  .filter((id) => operationOf(id).access !== 'public' || id === 'issueToken')
  .flatMap((id) => methodsOf(operationOf(id)).map((method) => ({ id, method })))

onEngineOfLane('every route rejects a revoked token', (engine) => {
  let running: RunningPlatformWorld
  let phantom: Resources
  let parent: string
  let child: string
  /** The statuses while the tokens were valid. */
  const earlier = new Map<string, number[]>()

  /** Uses unknown ids or creates new resources, so that valid tokens do no harm. */
  function present(id: OperationId, method: string, token: string) {
    const errand: PersonaCall = { resources: phantom, token, method }
    if (id !== 'issueToken') return running.organisation.call(id, errand)
    const body = { auth: { identity: tokenIdentity(token) } }
    return running.organisation.call(id, { ...errand, edit: () => ({ body }) })
  }

  before(async () => {
    running = await startPlatformWorld(engine)
    const { organisation, platform } = running
    phantom = nonexistentResources(await organisation.addResources('home'))
    const { token, place } = organisation.persona('admin')
    const makeChild = async (secret = '') =>
      secretOf(
        await requestToken(platform.url, {
          identity: tokenIdentity(secret),
          scope: { project: { id: place.projectId } },
        }),
      )
    parent = await makeChild(token)
    child = await makeChild(parent)
    // Used everywhere before, so that caches hold them.
    for (const { id, method } of presentations) {
      const statuses = []
      for (const secret of [parent, child])
        statuses.push((await present(id, method, secret)).status)
      earlier.set(`${method} ${id}`, statuses)
    }
    const headers = { 'x-subject-token': parent }
    const options = { method: 'DELETE', ...(token !== undefined && { token }), headers }
    assert.equal((await ask(platform.url, '/v3/auth/tokens', options)).status, 204)
  })
  after(() => running.platform.close())

  for (const { id, method } of presentations) {
    const { path } = operationOf(id)
    test(`SEC-05: ${method} ${path} rejects it and its child`, async () => {
      for (const status of earlier.get(`${method} ${id}`) ?? []) assert.notEqual(status, 401)
      for (const secret of [parent, child]) {
        const answer = await present(id, method, secret)
        if (method === 'HEAD') assert.equal(answer.status, 401)
        else if (id === 'issueToken') assertError(answer, 'UnauthorizedError', 'application/json')
        else assertError(answer, 'UnauthorizedError')
      }
    })
  }

  test('SEC-05: every method was covered', () => {
    const methods = Map.groupBy(presentations, ({ method }) => method)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.ok((methods.get(method)?.length ?? 0) > 1, method)
    }
    assert.equal(earlier.size, presentations.length)
  })
})

describe('secrets in responses', () => {
  let running: RunningPlatformWorld
  let admin: Persona
  before(async () => {
    running = await startPlatformWorld('sqlite')
    admin = running.organisation.persona('admin')
  })
  after(() => running.platform.close())

  /** Every list in full; the persona table covers the details. */
  const withoutFilter: PersonaCall['edit'] = (parts) => ({ ...parts, query: {} })
  const seers = ['viewer', 'domainAdmin', 'auditor', 'admin', 'adminByKey'] as const

  test('SEC-36: no response contains a secret', async () => {
    const { organisation, takeSnapshot } = running
    const resources = await organisation.addResources('home')
    // A key whose secret was returned at creation, and the events of it.
    const made = await organisation.call('createCredential', { resources, token: admin.token })
    assert.equal(made.status, 201)
    const secret = readSecret(made.body as Parameters<typeof readSecret>[0])
    assert.ok(secret.length > 20 && organisation.secrets.has(secret))
    // Guards the check below: the stored secrets can be found in a snapshot.
    const stored = [...(await takeSnapshot()).values()].join('\n')
    const planted = [...organisation.secrets].filter((each) => stored.includes(each))
    assert.ok(planted.length >= 3, 'two hashes of passwords and a sealed secret')

    const edit = withoutFilter
    for (const id of ids.filter((each) => operationOf(each).method === 'GET')) {
      for (const name of seers) {
        const { token } = organisation.persona(name)
        await organisation.call(id, { resources, token, edit })
      }
    }
    const events = await organisation.call('listEvents', {
      resources,
      token: admin.token,
      edit: () => ({ query: { limit: '2048' } }),
    })
    assert.ok(events.text.includes('"target_type":"credential"'))
  })

  test('SEC-36: the check detects a secret in a response', async () => {
    const { organisation } = running
    const [secret = ''] = organisation.secrets
    const resources = await organisation.addResources('home')
    const edit: PersonaCall['edit'] = (parts) => ({
      ...parts,
      body: { user: { description: secret } },
    })
    const errand = { resources, token: admin.token, edit }
    await assert.rejects(organisation.call('updateUser', errand), /SEC-36/)
    await assert.rejects(
      organisation.call('getUser', { resources, token: admin.token }),
      /SEC-36: the answer to GET \/v3\/users/,
    )
  })

  test('SEC-36: a private key is rejected as the certificate of a provider', async () => {
    const { organisation, takeSnapshot } = running
    const resources = await organisation.addResources('home')
    const fixture = (name: string) =>
      readFileSync(join(import.meta.dirname, '../../testing/fixtures', name), 'utf8')
    const certificate = fixture('test-only.cert.pem')
    const key = fixture('test-only.key.pem')
    const give = (ca: string) =>
      organisation.call('updateIdentityProvider', {
        resources,
        token: admin.token,
        edit: (parts) => ({ ...parts, body: { identity_provider: { ca } } }),
      })
    assert.equal((await give(certificate)).status, 200)
    for (const ca of [key, certificate + key, key + certificate]) {
      assertError(await give(ca), 'InputParameterError')
    }
    const [, body = ''] = key.split('\n')
    const stored = [...(await takeSnapshot()).values()].join('\n')
    assert.ok(!stored.includes(body))
    assert.ok(!stored.includes(['PRIVATE', 'KEY'].join(' ')))
  })
})
