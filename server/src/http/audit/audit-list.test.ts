import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { EventDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { createEventStore } from '../../storage/event-store.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { makeEvent } from '../../testing/identity-world/identity-records.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { rescope } from '../../testing/identity-world/token-holder.ts'

/** Long before any request of the test. */
const past = Date.UTC(2001, 0, 1)
const second = 1_000
const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id)

onEngineOfLane('GET /events', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let record: ReturnType<typeof createEventStore>['record']
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    record = createEventStore(platform.database).record
  })
  after(() => platform.close())

  const get = (path: string, token = identityApi.admin) =>
    ask<{ events: EventDto[]; limit: number }>(platform.url, path, { token })
  const list = async (query: string, token?: string) => {
    const answer = await get(`/events?limit=2048${query}`, token)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.events
  }

  describe('visibility', () => {
    /** Two domains with a user in each, and an event of every kind in both and above them. */
    async function live() {
      const settle = () =>
        identityApi.add((plan) => {
          const domain = plan.domain()
          const [user, chief, watcher] = [plan.user(domain), plan.user(domain), plan.user(domain)]
          const project = plan.project(domain)
          plan.grant(identityApi.role('project_owner'), { user }, { project })
          plan.grant(identityApi.role('domain_admin'), { user: chief }, { domain })
          plan.grant(identityApi.role('domain_viewer'), { user: watcher }, { domain })
          return { domain, user, chief, watcher, project, group: plan.group(domain, user) }
        })
      const [here, there] = [await settle(), await settle()]
      for (const { domain, user, chief, project, group } of [here, there]) {
        const change = (kind: string, key: string, id: string) =>
          identityApi.order('PUT', `/v3/${kind}/${id}`, { [key]: { description: 'changed' } })
        await change('domains', 'domain', domain)
        await change('users', 'user', user)
        await change('projects', 'project', project)
        await change('groups', 'group', group)
        await identityApi.order(
          'PUT',
          `/v3/projects/${project}/users/${chief}/roles/${identityApi.bare}`,
        )
        // Successful and failed logins, and a denied change.
        const unscoped = await identityApi.tokenFor(user)
        assert.equal((await rescope(platform.url, unscoped, project)).status, 201)
        assert.equal((await rescope(platform.url, unscoped, newId())).status, 401)
        const denied = await identityApi.call(unscoped, 'POST', '/v3/domains', {
          domain: { name: newId() },
        })
        assert.equal(denied.status, 403)
      }
      await identityApi.order('POST', '/v3/roles', { role: { name: newId() } })
      return { here, there }
    }

    test('the system sees all events, a domain its own, and others what they did', async () => {
      const since = `&since=${new Date().toISOString()}`
      const { here, there } = await live()
      const all = await list(since)
      const auditor = await identityApi.addCaller({ system: [identityApi.role('auditor')] })
      assert.deepEqual(ids(await list(since, auditor.token)), ids(all))

      const ofDomain = all.filter(({ domain_id }) => domain_id === here.domain)
      // All events above, and none of the other domain.
      assert.equal(ofDomain.length, 8)
      assert.ok(all.some(({ domain_id }) => domain_id === there.domain))
      assert.ok(all.some(({ domain_id }) => domain_id === ''))
      const inDomain = { domain: here.domain }
      for (const id of [here.chief, here.watcher]) {
        assert.deepEqual(
          ids(await list(since, await identityApi.tokenFor(id, inDomain))),
          ids(ofDomain),
        )
      }

      const own = all.filter(({ user_id }) => user_id === here.user)
      assert.deepEqual(
        own.map(({ result }) => result),
        ['denied', 'failure', 'success'],
      )
      for (const scope of [undefined, { project: here.project }]) {
        assert.deepEqual(
          ids(await list(since, await identityApi.tokenFor(here.user, scope))),
          ids(own),
        )
      }
      // Permission on one resource gives no access to the log.
      const other = await identityApi.addRole('system', 'allow identity users *')
      const clerk = await identityApi.addCaller({ system: [other.id] })
      assert.deepEqual(await list(since, clerk.token), [])
    })

    test('actions outside the own domain are visible to the user who did them, and to nobody else there', async () => {
      const { here, there } = await live()
      await identityApi.add((plan) =>
        plan.grant(
          identityApi.role('domain_admin'),
          { user: here.chief },
          { domain: there.domain },
        ),
      )
      const abroad = await identityApi.tokenFor(here.chief, { domain: there.domain })
      const path = `/v3/projects/${there.project}`
      const body = { project: { description: 'changed from abroad' } }
      assert.equal((await identityApi.call(abroad, 'PUT', path, body)).status, 200)
      const seen = async (id: string) =>
        (await list('', await identityApi.tokenFor(id, { domain: here.domain }))).some(
          ({ target_id }) => target_id === there.project,
        )
      assert.equal(await seen(here.chief), true)
      assert.equal(await seen(here.watcher), false)
    })

    test('a filter never widens what is visible', async () => {
      const { here, there } = await live()
      const token = await identityApi.tokenFor(here.chief, { domain: here.domain })
      for (const query of [
        `&domain_id=${there.domain}`,
        `&project_id=${there.project}`,
        `&user_id=${there.user}`,
        `&target_id=${there.user}`,
        '&target_type=role',
      ]) {
        assert.deepEqual(await list(query, token), [], query)
        assert.notDeepEqual(await list(query), [], query)
      }
    })
  })

  describe('filters', () => {
    const fields = [
      'user_id',
      'action',
      'target_type',
      'target_id',
      'project_id',
      'domain_id',
      'result',
      'request_id',
    ] as const
    /** Two values of each field, in every eighth combination. */
    const events = Array.from({ length: 32 }, (_, index) => {
      const pick = (bit: number) => String(((index * 37) >> bit) & 1)
      return makeEvent({
        time: past + index * second,
        user_id: `user-${pick(0)}`,
        action: `act-${pick(1)}`,
        target_type: `kind-${pick(2)}`,
        target_id: `target-${pick(3)}`,
        project_id: `project-${pick(4)}`,
        domain_id: `domain-${pick(1)}`,
        result: pick(2) === '1' ? 'failure' : 'denied',
        request_id: `narrow-${pick(3)}`,
      })
    })
    const newestFirst = events.toReversed()
    const window = `&since=${new Date(past).toISOString()}&before=${new Date(past + 32 * second).toISOString()}`
    before(() => Promise.all(events.map((event) => record(event))))

    test('match a value of each field, and of several together', async () => {
      assert.deepEqual(ids(await list(window)), ids(newestFirst))
      const sample = events[5] ?? makeEvent()
      for (const field of fields) {
        const found = ids(await list(`${window}&${field}=${sample[field]}`))
        const matching = newestFirst.filter((event) => event[field] === sample[field])
        assert.deepEqual(found, ids(matching), field)
        assert.ok(found.length > 0 && found.length < events.length, field)
      }
      const every = fields.map((field) => `&${field}=${sample[field]}`).join('')
      const alike = newestFirst.filter((event) =>
        fields.every((field) => event[field] === sample[field]),
      )
      assert.deepEqual(ids(await list(window + every)), ids(alike))
      assert.deepEqual(await list(`${window}&user_id=nobody`), [])
    })

    test('match a time range: since is inclusive, before is exclusive', async () => {
      const at = (index: number) => new Date(past + index * second).toISOString()
      const times = async (query: string) =>
        (await list(query)).map(({ time }) => (Date.parse(time) - past) / second)
      assert.deepEqual(await times(`&since=${at(3)}&before=${at(6)}`), [5, 4, 3])
      assert.deepEqual(await times(`&since=${at(3)}&before=${at(3)}`), [])
      assert.deepEqual(await times(`&since=${at(6)}&before=${at(3)}`), [])
      // In whole seconds, and with microseconds.
      const plain = at(30).replace('.000Z', 'Z')
      assert.deepEqual(await times(`&since=${plain}&before=${at(32)}`), [31, 30])
      const precise = at(31).replace('Z', '000Z')
      assert.deepEqual(await times(`&since=${precise}&before=${at(32)}`), [31])
      // From before 1970.
      const first = await list(`&since=1969-12-31T23:59:59Z&before=${at(1)}`)
      assert.deepEqual(ids(first), ids(events.slice(0, 1)))
    })

    test('return each event as it was written', async () => {
      const [shown] = await list(window)
      const { time, ...rest } = events.at(-1) ?? makeEvent()
      assert.deepEqual(shown, {
        ...rest,
        time: new Date(time).toISOString().replace('Z', '000Z'),
      })
    })
  })

  describe('paging', () => {
    const count = 50

    test('returns every event once while new events arrive', async () => {
      const user_id = newId()
      // Several events per millisecond.
      const stored = Array.from({ length: count }, (_, index) =>
        makeEvent({ time: past + Math.floor(index / 4), user_id }),
      )
      await Promise.all(stored.map((event) => record(event)))
      const seen: EventDto[] = []
      let path: string | undefined = `/events?user_id=${user_id}&limit=7`
      let pages = 0
      while (path !== undefined) {
        const answer = await get(path)
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.body.limit, 7)
        seen.push(...answer.body.events)
        pages += 1
        await Promise.all(
          [1, 2, 3].map(() => record(makeEvent({ time: past + 60_000 + pages, user_id }))),
        )
        const link: string | null = answer.headers.get('link')
        const [, next] = /^<([^>]+)>; rel="next"$/.exec(link ?? '') ?? []
        assert.equal(next === undefined, link === null, link ?? '')
        assert.ok(next === undefined || next.startsWith(`${platform.baseUrl}/events?`), link ?? '')
        path = next?.slice(platform.baseUrl.length)
      }
      assert.equal(pages, Math.ceil(count / 7))
      assert.deepEqual(ids(seen), ids(stored).toReversed())
    })

    test('the default page size is 20, the maximum 2,048', async () => {
      const { body, headers } = await get('/events')
      assert.equal(body.events.length, 20)
      assert.equal(body.limit, 20)
      assert.match(headers.get('link') ?? '', /marker=/)
      assert.equal((await get('/events?limit=5000')).body.limit, 2_048)
      // A full last page has no next link.
      const user_id = newId()
      await Promise.all([0, 1].map((index) => record(makeEvent({ time: past + index, user_id }))))
      const full = await get(`/events?user_id=${user_id}&limit=2`)
      assert.equal(full.body.events.length, 2)
      assert.equal(full.headers.get('link'), null)
    })
  })

  /** Invalid parameters and their error messages. */
  async function notRefused(name: string, texts: readonly string[]): Promise<string[]> {
    const faults: string[] = []
    for (const text of texts) {
      const answer = await get(`/events?${name}=${text}`)
      if (answer.status === 400) {
        const { fields = [] } = assertError(answer, 'InputParameterError')
        const names = new Set(fields.map(({ path }) => path.replace(/\.0$/, '')))
        assert.deepEqual([...names], [name], `${name}=${text}`)
      } else faults.push(`${name}=${text}: ${answer.status}`)
    }
    return faults
  }

  test('a bad parameter is 400 and is named', async () => {
    const numbers = ['0', '-1', 'x', '1.5', '1e3', '', '%2010', '99999999999999999999']
    const times = [
      'yesterday',
      '2026-03-01',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-03-01T25:00:00Z',
      '2026-03-01T00:00:00%2B02:00',
      '1772323200',
      '',
    ]
    const bad: Record<string, readonly string[]> = {
      limit: numbers,
      since: times,
      before: times,
      result: ['maybe', 'SUCCESS', ''],
      user_id: ['x'.repeat(1025)],
      order_by: ['user', ''],
      filter: ['changes.isnull()', 'user.equals('],
      field: ['password'],
      scope: ['everything'],
      // A mistyped filter must not widen the result.
      nonsense: ['x'],
      offset: ['5'],
    }
    for (const [name, texts] of Object.entries(bad)) {
      assert.deepEqual(await notRefused(name, texts), [])
    }
    assertError(await get('/events?limit=1&limit=2'), 'InputParameterError')
  })

  test('SEC-63: an invalid marker is 400 and is named', async () => {
    const id = newId()
    const bad = ['nonsense', '%27%20or%201=1--', 'ZZZZ', '%C3%A9', id.slice(1), `${id}0`, '']
    assert.deepEqual(await notRefused('marker', bad), [])
    assert.equal((await get(`/events?marker=${id}`)).status, 200)
  })
})
