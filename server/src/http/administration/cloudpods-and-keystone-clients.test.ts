import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { ask, loginAdmin, passwordIdentity, requestToken } from '../../testing/client.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** The parameters that the Cloudpods client sends with every list. */
const listDefaults = 'details=false&limit=20&offset=0&summary_stats=false'
const absentId = '0'.repeat(32)
const pathOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, absentId)

onBothEngines('requests of Cloudpods and Keystone clients', (engine) => {
  let platform: TestPlatform
  let token: string
  before(async () => {
    platform = await startPlatform({ engine })
    token = await loginAdmin(platform.url)
  })
  after(() => platform.close())

  const call = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
    ask<Body>(platform.url, path, {
      method,
      token,
      headers: { 'x-subject-token': 'nobody' },
      ...(body !== undefined && { body }),
    })

  const all: readonly Operation[] = operations
  const lists = all.filter(({ id, method }) => method === 'GET' && id.startsWith('list'))
  const statistics = all.filter(({ id }) => id === 'getServerStatistics')

  // Behaviour of the contract alone is the same on both engines.
  const onlyOnce = engine === 'sqlite' ? test : () => {}

  for (const operation of [...lists, ...statistics]) {
    onlyOnce(`${operation.id} takes the parameters of every list`, async () => {
      const { status, text } = await call('GET', `${pathOf(operation)}?${listDefaults}`)
      assert.ok(status === 200 || status === 404, text)
      const summed = await call('GET', `${pathOf(operation)}?summary_stats=true`)
      assert.equal(summed.status, 400, 'what is not offered is refused')
    })
  }

  test('offset returns the matching part of the whole list', async () => {
    const keys = ['roles', 'policies', 'services', 'endpoints', 'role_assignments'] as const
    type List = Record<string, unknown[]> & { links: { next: string | null } }
    for (const path of [...keys.map((key) => `/v3/${key}`), '/v3/auth/permissions']) {
      const key = path.split('/').at(-1) ?? ''
      const whole = (await call<List>('GET', path)).body[key] ?? []
      const { body } = await call<List>('GET', `${path}?limit=1&offset=1`)
      assert.deepEqual(body[key], whole.slice(1, 2), path)
      if (body.links.next === null) continue
      const next = body.links.next.slice(platform.authUrl.length)
      assert.deepEqual((await call<List>('GET', next)).body[key], whole.slice(2, 3), path)
      const past = await call<List>('GET', `${path}?limit=5&offset=1000`)
      assert.deepEqual([past.body[key], past.body.links.next], [[], null])
    }
    const both = await call('GET', `/v3/users?marker=${absentId}&offset=1`)
    assert.equal(both.status, 400)
  })

  const bodiless = all.filter(({ method, body }) => !/GET|HEAD/.test(method) && !body)

  for (const operation of bodiless) {
    onlyOnce(`${operation.id} takes a body that says nothing, and no other`, async () => {
      const path = pathOf(operation)
      for (const body of [{}, { role: {} }, { cloudaccount: { deep_sync: false } }]) {
        const { status, text } = await call(operation.method, path, body)
        assert.notEqual(status, 400, text)
      }
      for (const body of [[], null, 1, { role: 1 }, { role: [] }, { a: {}, b: {} }]) {
        const { status, text } = await call(operation.method, path, body)
        assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`)
      }
    })
  }

  test('a null description and empty options are ignored', async () => {
    for (const key of ['domain', 'project', 'user', 'group', 'role'] as const) {
      const fields = {
        name: `null ${key}`,
        description: null,
        ...(key !== 'group' && { options: {} }),
      }
      type One = Record<string, { id: string; description: string }>
      const made = await call<One>('POST', `/v3/${key}s`, { [key]: fields })
      assert.equal(made.status, 201, made.text)
      const { id = '', description } = made.body[key] ?? {}
      assert.equal(description, '')
      const path = `/v3/${key}s/${id}`
      for (const [sent, kept] of [
        ['some text', 'some text'],
        [null, ''],
      ] as const) {
        const { status, body, text } = await call<One>('PATCH', path, {
          [key]: { description: sent },
        })
        assert.equal(status, 200, text)
        assert.equal(body[key]?.description, kept)
      }
    }
  })

  test('a project is found by its name without a domain', async () => {
    const identity = passwordIdentity('sysadmin', adminPassword)
    const found = await requestToken(platform.url, {
      identity,
      scope: { project: { name: 'system' } },
    })
    assert.equal(found.body.token.project.Name, 'system')
    const unknown = await requestToken(platform.url, {
      identity,
      scope: { project: { name: 'nowhere' } },
    })
    assert.equal(unknown.status, 401)
  })
})
