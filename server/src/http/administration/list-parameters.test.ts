import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, loginAdmin } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

interface User {
  readonly id: string
  readonly name: string
}
interface Body {
  readonly users: readonly User[]
  readonly links: { readonly next: string | null }
  readonly limit: number
  readonly offset: number
  readonly total: number
}

onEngineOfLane('the parameters of lists under /v3', (engine) => {
  let platform: TestPlatform
  let token: string
  const ids = new Map<string, string>()
  before(async () => {
    platform = await startPlatform({ engine })
    token = await loginAdmin(platform.url)
    const identities = createIdentityWorld(platform.database)
    const domainId = await identities.addDomain('lists')
    for (const name of ['Ünal', 'anna', 'Bert_1', 'bert%2', 'Zoë']) {
      ids.set(name, await identities.addUser({ name, domainId }))
    }
    ids.set('domain', domainId)
  })
  after(() => platform.close())

  const get = (query: string) =>
    ask<Body>(platform.url, `/v3/users?domain_id=${ids.get('domain')}&${query}`, { token })
  async function names(query: string): Promise<string> {
    const { status, body, text } = await get(query)
    assert.equal(status, 200, text)
    return body.users.map(({ name }) => name).join(' ')
  }

  test('filter, search and sort', async () => {
    const cases: [query: string, expected: string][] = [
      ['', 'Bert_1 Zoë anna bert%2 Ünal'],
      ['order=desc', 'Ünal bert%2 anna Zoë Bert_1'],
      ['order_by=name', 'Ünal bert%2 anna Zoë Bert_1'],
      ['order_by=name&order=asc', 'Bert_1 Zoë anna bert%2 Ünal'],
      ['sort_key=name&sort_dir=desc', 'Ünal bert%2 anna Zoë Bert_1'],
      ['order_by=enabled&order_by=name&order=asc', 'Bert_1 Zoë anna bert%2 Ünal'],
      ['name=ANNA', 'anna'],
      ['name=anna&name=Zoë', 'Zoë anna'],
      ['name.0=anna&name.1=Zoë', 'Zoë anna'],
      ["filter=name.contains('BERT')", 'Bert_1 bert%2'],
      ["filter=name.contains('_')", 'Bert_1'],
      ["filter=name.like('b%25_2')", 'bert%2'],
      ["filter=name.startswith('ü')", 'Ünal'],
      ["filter=name.notin('anna', 'ZOË')", 'Bert_1 bert%2 Ünal'],
      ["filter=name.gt('Z')&filter=name.lt('b')", 'Zoë anna'],
      ["filter=name.equals('anna')&filter=name.equals('zoë')&filter_any=true", 'Zoë anna'],
      ['filter=expires_at.isnull()&filter=enabled.equals(true)', 'Bert_1 Zoë anna bert%2 Ünal'],
      ['filter=expires_at.isnotnull()', ''],
      ["filter=created_at.gt('2000-01-01')", 'Bert_1 Zoë anna bert%2 Ünal'],
      ['filter=default_project_id.isempty()&search=bert', 'Bert_1 bert%2'],
      ['search=ERT', 'Bert_1 bert%2'],
      ['search=%25', 'bert%2'],
      ['q=-name:anna%20ert', 'Bert_1 bert%2'],
      [`search=${ids.get('anna')}`, 'anna'],
    ]
    for (const [query, expected] of cases) assert.equal(await names(query), expected, query)
  })

  test('page by limit, offset and marker, with a total', async () => {
    const whole = (await get('')).body
    assert.deepEqual([whole.limit, whole.offset, whole.total], [5, 0, 5])
    const page = (await get('limit=2&offset=1')).body
    assert.deepEqual([page.limit, page.offset, page.total], [2, 1, 5])
    assert.deepEqual(page.users, whole.users.slice(1, 3))
    assert.equal((await get('limit=0')).body.total, 5)
    assert.equal((await get('limit=99999')).body.limit, 2048)
    for (const order of ['order_by=created_at', 'order_by=expires_at', 'order_by=name&order=asc']) {
      const sorted = (await get(order)).body.users
      const walked: User[] = []
      let query = `${order}&limit=2`
      for (let pages = 0; pages < 3; pages += 1) {
        const { body } = await get(query)
        assert.equal(body.total, 5)
        walked.push(...body.users)
        if (body.links.next === null) break
        query = `${order}&limit=2&marker=${new URL(body.links.next).searchParams.get('marker')}`
      }
      assert.deepEqual(walked, sorted, order)
      const [, second] = sorted
      const rest = (await get(`${order}&marker=${second?.id}`)).body
      assert.deepEqual([rest.users, rest.total], [sorted.slice(2), 5], order)
    }
  })

  test('select fields', async () => {
    const { body } = await get('field=name&field=enabled&limit=1')
    assert.deepEqual(body.users, [{ name: 'Bert_1', enabled: true }])
  })

  test('a bad value is 400 and names the parameter', async () => {
    const bad = {
      limit: ['-1', 'x'],
      offset: ['-1'],
      marker: ['no-such-user'],
      order_by: ['password_hash', 'links'],
      sort_key: ['password_hash'],
      filter: ["password_hash.startswith('$')", 'name.contains', 'enabled.gt(true)', 'name.is(1)'],
      field: ['password_hash'],
      scope: ['everything'],
      q: ['password_hash:x'],
      password_hash: ['x'],
      created_at: ['yesterday'],
    }
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        const path = `/v3/users?${name}=${encodeURIComponent(value)}`
        const { status, body } = await ask<{ fields?: { path: string }[] }>(platform.url, path, {
          token,
        })
        assert.equal(status, 400, path)
        assert.equal(body.fields?.[0]?.path.replace(/\.0$/, ''), name, path)
      }
    }
    assert.equal((await get('limit=1&offset=1&marker=x')).status, 400)
  })
})
