import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CloudAccount, ErrorBody, Server, ServerChange } from '@muster/contract'
import { referencedKinds } from '../../domain/inventory/kinds.ts'
import { toResource } from '../../domain/inventory/referenced-resources.ts'
import { createResourceRecorder } from '../../storage/resources/resource-recorder.ts'
import { checkOrphans } from '../../storage/check/check-orphans.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { changeFleet } from '../../testing/inventory-world/change-fleet.ts'
import { createNumbers, type Draw } from '../../testing/inventory-world/server-samples.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane, sampleInputs } from '../../testing/lanes.ts'

const page = 'details=true&with_meta=true&limit=2048'
const queries = [
  `/servers?${page}`,
  `/servers?${page}&scope=max&order_by=name&order=asc`,
  `/servers?${page}&scope=max&q=status:running,ready -tag:env=prod`,
  `/servers?${page}&scope=max&search=web`,
  `/servers?${page}&scope=max&pending_delete=all`,
  '/servers?scope=max&field=id&field=name&limit=5&offset=3',
  '/servers?scope=max&format=csv&field=id&field=status&field=ips',
  '/servers/statistics?scope=max&group_by=status&group_by=provider&group_by=metadata.env',
  '/disks?limit=2048&order_by=id&field=id&field=name&field=guest_id&field=disk_size&field=updated_at',
  ...referencedKinds.map((kind) => `/${kind}?details=true&limit=2048`),
  '/hosts?filter=status.equals(running)&order_by=name&order=asc&limit=5',
  '/sd/prometheus?scope=max',
]

/** What depends on the caller now, and when an account was synced. */
function withoutToday(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    /^(can_|delete_fail|update_fail|sys:synced_at)/.test(key) ? undefined : value,
  )
}
const comparable = (path: string, text: string) =>
  path.includes('csv') ? text : withoutToday(text)

/** Records what an account sees besides servers: some of it changed, some is new, and some no longer there. */
async function createRecordResources(fleet: InventoryWorld) {
  const { admin } = fleet.callers
  const cloudaccount = {
    name: 'resources',
    provider: 'OneCloud',
    address: 'qemu+unix:///system?socket=/nowhere',
    project_id: fleet.projects[0]?.id,
    enabled: false,
  }
  const { body } = await admin.call<{ cloudaccount: CloudAccount }>('createCloudAccount', {
    body: { cloudaccount },
  })
  const account = { id: body.cloudaccount.id, fence: { revision: 1 } }
  const recorder = createResourceRecorder(fleet.platform.database, fleet.tick)
  return async (draw: ReturnType<typeof createNumbers>): Promise<void> => {
    const seen = referencedKinds.flatMap((kind) =>
      Array.from({ length: 4 }, (_, at) => {
        const values = { name: `${kind} ${draw(3)}`, status: draw(1) === 0 ? 'running' : 'ready' }
        return {
          kind,
          object: toResource(kind, `${kind}-${at}`, { ...values, cpu_count: draw(9) }),
          digest: String(draw(99)),
          isOnlyReferenced: false,
        }
      }).filter(() => draw(4) > 0),
    )
    const { body: hosts } = await admin.call<{ hosts: { id: string }[] }>('listHosts', {
      query: 'limit=20',
    })
    // These are of servers, too.
    const named = hosts.hosts.slice(0, draw(5)).map(({ id }) => ({
      kind: 'hosts' as const,
      object: toResource('hosts', id, { name: `host ${draw(9)}`, cpu_count: draw(9) }),
      digest: String(draw(99)),
      isOnlyReferenced: false,
    }))
    await recorder.record(account, [...seen, ...named], draw(1) === 0)
  }
}

const isDeleted = (body: unknown) =>
  (body as { server?: Server } | undefined)?.server?.deleted === true

onEngineOfLane('the fleet as it was', (engine) => {
  let fleet: InventoryWorld
  let recordResources: (draw: ReturnType<typeof createNumbers>) => Promise<void>
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 40,
      seed: 7,
      // A server that is gone is soon purged, and may come back afterwards.
      flags: ['--deleted-retention=1s'],
    })
    recordResources = await createRecordResources(fleet)
  })
  after(async () => {
    await fleet.platform.close()
  })

  const ask = async ({ token }: InventoryCaller, path: string) => {
    const response = await fetch(fleet.url + path, { headers: { 'x-auth-token': token } })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  /** Each caller asks a part of the queries, others in each turn. */
  async function askAll(turn: number, suffix = '') {
    const answers: { caller: string; path: string; status: number; body: unknown }[] = []
    for (const [at, caller] of fleet.all.entries()) {
      for (const path of sampleInputs(queries, turn + at)) {
        const { status, text } = await ask(caller, path + (suffix && `&${suffix}`))
        assert.notEqual(status, 400, text)
        const body = status === 200 ? comparable(path, text) : undefined
        answers.push({ caller: caller.name, path, status, body })
      }
    }
    return answers
  }

  /** Some servers, one by one. */
  async function askEach(suffix = '') {
    const facts = fleet.world.facts().slice(0, 5)
    const paths = facts.map(({ facts: { id } }) => `/servers/${id}`)
    const answers: Awaited<ReturnType<typeof askAll>> = []
    for (const caller of fleet.all) {
      for (const path of paths) {
        const { status, text } = await ask(caller, path + (suffix && `?${suffix}`))
        const body = status === 200 ? withoutToday(text) : undefined
        answers.push({ caller: caller.name, path, status, body })
      }
    }
    return answers
  }

  async function change(draw: Draw): Promise<void> {
    await changeFleet(fleet, draw)
    if (draw(1) === 0) await recordResources(draw)
    // What it finds are changes that undo nothing.
    if (draw(1) === 0) {
      fleet.tick()
      await fleet.platform.checks.evaluateChecks()
    }
  }

  test('answers every query of every caller as it did then', async () => {
    const draw = createNumbers(42)
    const moments: { time: string; answers: Awaited<ReturnType<typeof askAll>> }[] = []
    for (let step = 0; step < runsInLane(20) + 2; step += 1) {
      await change(draw)
      const time = timestamp(fleet.tick())
      moments.push({ time, answers: [...(await askAll(step)), ...(await askEach())] })
    }
    // Each moment is built from the nearest one, which is earlier or later.
    const stride = 13
    const order = moments.map((_, at) => (moments.length - 1 + at * stride) % moments.length)
    assert.equal(new Set(order).size, moments.length)
    for (const step of order) {
      const { time, answers } = moments[step] ?? assert.fail()
      const then = [...(await askAll(step, `as_of=${time}`)), ...(await askEach(`as_of=${time}`))]
      for (const answer of answers) {
        const same = then.find(
          ({ caller, path }) => caller === answer.caller && path === answer.path,
        )
        // One that was deleted then can be purged now.
        if (same?.status === 404 && isDeleted(answer.body)) continue
        assert.deepEqual(same, answer, `${answer.caller} ${answer.path} at ${time}`)
      }
    }
  })

  test('shows a single server, which nobody can change, and tells the moment', async () => {
    const { admin } = fleet.callers
    const { body } = await admin.call<{ servers: Server[] }>('listServers', {
      query: 'scope=system&limit=1',
    })
    const [server] = body.servers
    const time = timestamp(fleet.tick())
    fleet.tick()
    await admin.get('mergeServerMetadata', {
      path: { id: server?.id ?? '' },
      body: { metadata: { later: 'yes' } },
    })
    const then = await ask(admin, `/servers/${server?.id}?as_of=${time}`)
    assert.equal(then.headers.get('muster-as-of'), time)
    const { server: old } = JSON.parse(then.text) as { server: Server }
    assert.deepEqual(
      [old.metadata['user:later'], old.can_update, old.can_delete],
      [undefined, false, false],
    )
    assert.match(old.update_fail_reason, /past/)
    const now = await ask(admin, `/servers/${server?.id}`)
    assert.equal(now.headers.get('muster-as-of'), null)
    assert.ok(now.text.includes('user:later'))
  })

  test('pages through one moment, also when it was given as a time ago', async () => {
    const { admin } = fleet.callers
    // Two minutes, because a time ago is rounded down to the minute.
    for (let count = 0; count < 120; count += 1) fleet.tick()
    const first = await ask(admin, '/servers?scope=system&limit=3&as_of=-1m')
    const link = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? assert.fail()
    const next = new URL(link)
    assert.equal(next.searchParams.get('as_of'), first.headers.get('muster-as-of'))
    assert.equal((await ask(admin, next.pathname + next.search)).status, 200)
    next.searchParams.set('as_of', '-1m')
    const wrong = await ask(admin, next.pathname + next.search)
    assert.deepEqual([wrong.status, wrong.text.includes('as_of')], [400, true])
  })

  test('is not held up by those who read only the head of an export', async () => {
    const { admin, viewer } = fleet.callers
    const times: string[] = []
    for (let count = 0; count < 6; count += 1) {
      await fleet.record([fleet.samples.facts()])
      times.push(timestamp(fleet.tick()))
    }
    const headers = { 'x-auth-token': viewer.token }
    for (const time of times.slice(1)) {
      const path = `/servers?format=csv&as_of=${time}`
      const { status } = await fetch(fleet.url + path, { method: 'HEAD', headers })
      assert.equal(status, 200, time)
    }
    assert.equal((await ask(admin, `/servers?as_of=${times[0]}`)).status, 200)
  })

  test('has no changes of servers that are not known, after those that were gone are purged', async () => {
    await fleet.record([], [fleet.world.facts().find((one) => !one.isDeleted)?.facts.id ?? ''])
    for (let count = 0; count < 2; count += 1) fleet.tick()
    await fleet.platform.inventory.purgeDeleted()
    const { problems } = await checkOrphans(fleet.platform.database.db)
    assert.deepEqual(problems, [])
    const { admin } = fleet.callers
    const { db } = fleet.platform.database
    const purged = await db.selectFrom('former_servers').select('id').execute()
    assert.ok(purged.length > 0)
    const { text } = await ask(admin, `/servers/changes?scope=system&id=${purged[0]?.id}`)
    assert.match(text, /"kinds":\["gone"\]/)
  })

  test('refuses what it cannot answer, and names the parameter', async () => {
    const { admin } = fleet.callers
    for (const path of [
      '/servers?as_of=soon',
      '/servers?as_of=2199-01-01',
      '/servers?as_of=1999-01-01',
      '/zones?as_of=1999-01-01',
      '/sd/prometheus?as_of=-1m',
      '/servers/changes?as_of=-1m',
      '/servers/timeline?as_of=-1m',
    ]) {
      const { status, text } = await ask(admin, path)
      assert.deepEqual([status, text.includes('as_of')], [400, true], `${path} ${text}`)
    }
    const { text } = await ask(admin, '/servers?as_of=1999-01-01')
    assert.match(text, /before the first recorded change, at 20\d\d-/)
    const { values, details } = JSON.parse(text) as ErrorBody
    assert.ok(details.includes(`at ${String(values?.['recorded_since'])}.`), text)
  })

  void describe('changes', () => {
    const list = async (caller: InventoryCaller, query: string) => {
      const { status, text } = await ask(caller, `/servers/changes?${query}`)
      assert.equal(status, 200, text)
      return (JSON.parse(text) as { changes: ServerChange[] }).changes
    }

    test('lead from what a caller saw at one moment to what they see at another', async () => {
      const from = timestamp(fleet.tick())
      const see = async (caller: InventoryCaller, asOf: string) => {
        // Those who may see the recycle bin see what changes there.
        const state = caller.mayChange ? '&pending_delete=all' : ''
        const { text } = await ask(caller, `/servers?${page}&scope=max&as_of=${asOf}${state}`)
        const { servers } = JSON.parse(text) as { servers: Server[] }
        return new Map(servers.map((server) => [server.id, server]))
      }
      const draw = createNumbers(5)
      for (let step = 0; step < 6; step += 1) await change(draw)
      const until = timestamp(fleet.tick())
      for (const caller of fleet.all) {
        const [then, now] = [await see(caller, from), await see(caller, until)]
        const changes = await list(
          caller,
          `scope=max&limit=2048&order=asc&since=${from}&until=${until}`,
        )
        const expected = new Map([...then].map(([id, { status }]) => [id, status]))
        for (const { server_id: id, kinds, changes: fields } of changes) {
          if (kinds.includes('gone')) expected.delete(id)
          else if (kinds.includes('appeared') || kinds.includes('returned')) {
            assert.ok(!expected.has(id) || kinds.includes('returned'), `${id} appeared twice`)
            expected.set(id, String(fields['status']?.[1]))
          } else if (fields['status'] && expected.has(id)) {
            assert.equal(fields['status'][0], expected.get(id))
            expected.set(id, String(fields['status'][1]))
          }
        }
        const present = new Map([...now].map(([id, { status }]) => [id, status]))
        assert.deepEqual(expected, present, caller.name)
      }
    })

    test('are refused by a name that is no field', async () => {
      for (const [name, expected] of [
        ['colour', 400],
        ['status', 200],
        ['user:anything', 200],
        ['check:any', 200],
      ] as const) {
        const { status, text } = await ask(fleet.callers.admin, `/servers/changes?changed=${name}`)
        assert.equal(status, expected, text)
        if (status === 400) assert.match(text, /changed has .{1,2}colour/)
      }
    })

    test('are the same page by page, and never of other tenants', async () => {
      for (const caller of fleet.all) {
        const whole = await list(caller, 'scope=max&limit=2048')
        const paged: ServerChange[] = []
        let marker = ''
        do {
          const some = await list(caller, `scope=max&limit=7${marker && `&marker=${marker}`}`)
          paged.push(...some)
          marker = some.length === 7 ? (some.at(-1)?.id ?? '') : ''
        } while (marker !== '')
        assert.deepEqual(paged, whole, caller.name)
      }
      const own = fleet.callers.owner.scope
      const foreign = fleet.projects.filter(({ id }) => 'project' in own && id !== own.project?.id)
      const text = JSON.stringify(
        await list(fleet.callers.owner, 'scope=max&limit=2048'),
        // The project of the account's tenant is a field of the server.
        (key, value: unknown) => (key.startsWith('manager_') ? undefined : value),
      )
      for (const { id } of foreign) assert.ok(!text.includes(id), id)
    })

    test('are found by kind, field, server and account', async () => {
      const { admin } = fleet.callers
      const whole = await list(admin, 'scope=system&limit=2048')
      const [one] = whole
      assert.ok(one)
      for (const [query, matches] of [
        ['kind=tag', ({ kinds }) => kinds.includes('tag')],
        [
          'kind=gone&kind=appeared',
          ({ kinds }) => kinds.includes('gone') || kinds.includes('appeared'),
        ],
        ['changed=user:env', ({ changes }) => 'user:env' in changes],
        [
          'kind=status&new_status=ready&new_status=running',
          ({ kinds, changes: { status } }) =>
            kinds.includes('status') && ['ready', 'running'].includes(String(status?.[1])),
        ],
        [`id=${one.server_id}`, ({ server_id: id }) => id === one.server_id],
      ] satisfies [string, (change: ServerChange) => boolean][]) {
        const found = await list(admin, `scope=system&limit=2048&${query}`)
        assert.ok(found.length > 0, query)
        assert.deepEqual(found, whole.filter(matches), query)
      }
      const tagged = whole.find(
        ({ kinds, request_id }) => kinds.includes('tag') && request_id !== '',
      )
      assert.match(tagged?.request_id ?? '', /^req-/)
    })
  })
})
