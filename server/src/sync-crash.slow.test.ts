import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { fromBits } from './domain/inventory/history/change-kinds.ts'
import { ask, loginAdmin } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { startFakeEc2, type FakeEc2 } from './testing/fake-ec2.ts'
import { operate, startOperatedMuster } from './testing/inventory-world/operate-muster.ts'
import { temporaryFolder, type Muster } from './testing/spawn-muster.ts'

const addInstances = (ec2: FakeEc2, from: number, to: number) => {
  for (let number = from; number < to; number += 1) {
    const id = `i-${String(number).padStart(17, '0')}`
    ec2.instances.set(id, { name: `server-${number}` })
  }
}

/** Records the requests to a source: where a scan begins, and whether another one is still running. */
function watchScans(ec2: FakeEc2) {
  const watch = { begun: 0, underWay: false, overlaps: 0 }
  ec2.misbehave = ({ action, form }) => {
    if (action !== 'DescribeInstances') return false
    const at = Number(form.get('NextToken') ?? 0)
    if (at === 0) {
      watch.begun += 1
      if (watch.underWay) watch.overlaps += 1
    }
    watch.underWay = at + ec2.pageSize < ec2.instances.size
    return false
  }
  return watch
}

function readData<Row>(folder: string, query: string): Row[] {
  const database = new DatabaseSync(`${folder}/data/muster.db`)
  try {
    return database.prepare(query).all() as Row[]
  } finally {
    database.close()
  }
}

describe('a sync that is killed', { concurrency: 2 }, () => {
  test('REL: during a scan, a move or an eviction is continued by the next process', async (t) => {
    const folder = temporaryFolder(t)
    const fleet = 2_000
    const ec2 = await startFakeEc2(t)
    addInstances(ec2, 0, fleet)
    // Small pages, since twenty requests a second are allowed: it takes a few seconds.
    ec2.pageSize = 50
    let muster = await startOperatedMuster(t, { folder })
    const token = await loginAdmin(muster.authUrl)
    let operator = operate(muster, token)
    const restart = async () => {
      await muster.end('SIGKILL')
      muster = await startOperatedMuster(t, { folder })
      operator = operate(muster, token)
    }

    const id = await operator.attach({ provider: 'Aws', ...ec2.settings, period: 3_600 })
    await eventually('a part is there', async () => (await operator.count()) > 0, { deadline: 30 })
    await muster.end('SIGKILL')
    const [half] = readData<{ servers: number }>(folder, 'select count(*) servers from sightings')
    assert.ok(half && half.servers > 0 && half.servers < fleet, JSON.stringify(half))
    await restart()
    const { sync } = await operator.finished(id)
    assert.deepEqual([sync.seen, sync.error], [fleet, ''])
    assert.equal(sync.created, fleet - half.servers, 'what was there was not made again')
    const servers = await operator.servers()
    assert.equal(servers.length, fleet)
    assert.equal(new Set(servers.map(({ external_id }) => external_id)).size, fleet)
    assert.ok(servers.every(({ update_version }) => update_version === 0))

    const { project } = await operator.request<{ project: { id: string } }>(
      '/v3/projects',
      'POST',
      {
        project: { name: 'elsewhere', domain_id: 'default' },
      },
    )
    const mapping = [{ name: '*', project_id: project.id }]
    const inside = `filter=project_id.equals(${project.id})`
    const moving = operator
      .request(`/cloudaccounts/${id}`, 'PUT', { cloudaccount: { mapping } })
      .catch(() => {})
    await eventually('some have moved', async () => (await operator.count(inside)) > 0, {
      deadline: 20,
    })
    await restart()
    await moving
    await eventually('all have moved', async () => (await operator.count(inside)) === fleet, {
      deadline: 60,
    })
    const moved = await operator.servers()
    assert.ok(
      moved.every(({ update_version }) => update_version === 1),
      'each moved once',
    )

    const leaving = operator.request(`/cloudaccounts/${id}?evict=true`, 'DELETE').catch(() => {})
    await eventually('some are gone', async () => (await operator.count()) < fleet, {
      deadline: 20,
    })
    await restart()
    await leaving
    await eventually('all are gone', async () => (await operator.count()) === 0, { deadline: 60 })
    const gone = await ask(muster.baseUrl, `/cloudaccounts/${id}`, { token })
    assert.equal(gone.status, 404)
    await eventually(
      'the account is gone',
      async () => (await operator.request<{ total: number }>('/cloudaccounts')).total === 0,
    )
    await muster.end('SIGKILL')
    const rows = (query: string) => readData<Record<string, unknown>>(folder, query)
    assert.deepEqual(rows('pragma integrity_check').map(Object.values), [['ok']])
    assert.deepEqual(rows('pragma foreign_key_check'), [])
    assert.deepEqual(rows('select * from sightings'), [])
    const told = rows(
      `select kinds, count(*) as told, count(distinct server) as servers from server_changes
        group by kinds order by kinds`,
    )
    assert.deepEqual(
      told.map(({ kinds, told: times, servers: count }) => [fromBits(Number(kinds)), times, count]),
      [
        [['appeared'], fleet, fleet],
        [['gone'], fleet, fleet],
        [['moved'], fleet, fleet],
      ],
      'each is told once',
    )
  })

  test('REL: one of two processes runs an account, and the other takes over if it is killed', async (t) => {
    const place = { folder: temporaryFolder(t), databaseUrl: await createTestDatabase('migrated') }
    const ec2 = await startFakeEc2(t)
    addInstances(ec2, 0, 300)
    ec2.pageSize = 100
    const scans = watchScans(ec2)
    const [one, other] = [
      await startOperatedMuster(t, place, 'one'),
      await startOperatedMuster(t, place, 'other'),
    ]
    const token = await loginAdmin(one.authUrl)
    const operators = [one, other].map((muster) => operate(muster, token))
    const [first = assert.fail(), second = assert.fail()] = operators
    const id = await first.attach({ provider: 'Aws', ...ec2.settings, period: 3_600 })
    await first.finished(id)

    const isRunner = ({ stdout, stderr }: Muster) => (stdout() + stderr()).includes('"synced"')
    await eventually('one says that it has synced', () => isRunner(one) || isRunner(other))
    assert.notEqual(isRunner(one), isRunner(other))
    const [runner, idle] = isRunner(one) ? [one, other] : [other, one]
    const survivor = operate(idle, token)

    // Whichever process gets the request, the one that runs the account reads the server, and both show the
    // result.
    for (const [turn, operator] of [first, second].entries()) {
      const { sync } = await operator.show(id)
      addInstances(ec2, 300 + turn, 301 + turn)
      await operator.request(`/cloudaccounts/${id}/sync`, 'POST')
      await operator.finished(id, sync.finished_at ?? '')
      await eventually(
        'both show the same servers',
        async () => {
          const [here, there] = await Promise.all(operators.map((each) => each.servers()))
          return here?.length === 301 + turn && isDeepStrictEqual(here, there)
        },
        { deadline: 5 },
      )
    }
    assert.ok(!isRunner(idle))
    assert.equal(scans.overlaps, 0, 'there were never two scans at once')
    assert.equal(scans.begun, 3)

    addInstances(ec2, 302, 900)
    const { sync: before } = await survivor.show(id)
    await survivor.request(`/cloudaccounts/${id}/sync`, 'POST')
    await eventually('a scan is under way', () => scans.begun === 4 && scans.underWay)
    await runner.end('SIGKILL')
    scans.underWay = false
    const { sync } = await survivor.finished(id, before.finished_at ?? '')
    assert.deepEqual([sync.seen, sync.error, scans.overlaps], [900, '', 0])
    const all = await survivor.servers()
    assert.equal(all.length, 900)
    assert.equal(new Set(all.map(({ external_id }) => external_id)).size, 900)
    assert.ok(isRunner(idle))
  })
})
