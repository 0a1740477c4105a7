import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import { isNightly } from '../../server/src/testing/lanes.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import {
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { localSettings, trustedClient } from './clients.ts'
import { startIncus, type TestIncus } from './start.ts'

/** Longer than the test, so that only events can show a change. */
const period = 3_600

// At night through both. The tests of fields and actions use the socket in every lane.
for (const transport of isNightly ? (['HTTPS', 'the socket'] as const) : (['HTTPS'] as const)) {
  describe(`a real Incus attached over ${transport}`, () => {
    const lifetime = suiteLifetime()
    const place = { folder: '' }
    let incus: TestIncus
    let muster: Muster
    let operator: Operator
    let account: string
    let bridge: { name: string; subnet: string }
    before(async () => {
      incus = await startIncus()
      bridge = await incus.createBridge()
      await incus.launch('web')
      await incus.run('init', 'busybox', 'drawer', '--quiet')
      place.folder = temporaryFolder(lifetime)
      muster = await startOperatedMuster(lifetime, place)
      operator = operate(muster, await loginAdmin(muster.authUrl))
      const settings =
        transport === 'HTTPS' ? await trustedClient(incus, 'muster') : localSettings(incus)
      account = await operator.attach({ provider: 'Incus', period, ...settings })
      await operator.finished(account)
    })
    after(() => incus.stop())

    const find = async (name: string) =>
      (await operator.servers()).find((server) => server.name === name)
    const metadataById = async (id: string) =>
      (await operator.request<{ server: Server }>(`/servers/${id}`)).server.metadata
    const metadataOf = async (name: string) => metadataById((await find(name))?.id ?? '')
    const summary = async () =>
      (await operator.servers()).map(({ id, name, status }) => `${name} ${status} ${id}`)
    const has = (name: string, status: string) => async () => (await find(name))?.status === status

    test('shows its instances, its host, its network and its projects', async () => {
      const { status, sync } = await operator.show(account)
      assert.deepEqual([status, sync.error], ['connected', ''])
      assert.deepEqual(
        (await operator.servers()).map((server: Server) => [server.name, server.status]),
        [
          ['drawer', 'ready'],
          ['web', 'running'],
        ],
      )
      const [host, ...otherHosts] = await operator.list('hosts')
      assert.deepEqual([host?.status, host?.provider, host?.guests], ['running', 'Incus', 2])
      assert.ok((host?.cpu_count ?? 0) > 0 && (host?.mem_size ?? 0) > 0)
      assert.deepEqual(otherHosts, [])
      assert.deepEqual(
        (await operator.list('networks')).map((network) => [
          network.name,
          network.status,
          `${network.guest_ip_start}-${network.guest_ip_end}/${network.guest_ip_mask}`,
        ]),
        [[bridge.name, 'available', `${bridge.subnet}.2-${bridge.subnet}.254/24`]],
      )
      assert.equal((await operator.list('cloudproviders'))[0]?.guest_count, 2)
    })

    test('shows each change by events', async (t) => {
      const before = await find('web')
      const { run } = incus
      await run(
        'project',
        'create',
        'other',
        '--config',
        'features.images=false',
        '--config',
        'features.profiles=false',
      )
      const hasAddress = async () =>
        (await find('fresh'))?.ips.startsWith(`${bridge.subnet}.`) ?? false
      // While it moves, it is in both projects.
      /** While it moves, it exists in both projects for a moment. */
      const isMoved = async () => {
        const found = (await operator.servers()).filter(({ name }) => name === 'drawer')
        const [{ id } = { id: '' }] = found
        return found.length === 1 && (await metadataById(id))['sys:tenant'] === 'other'
      }
      const steps: readonly (readonly [string, () => Promise<unknown>, () => Promise<boolean>])[] =
        [
          ['paused', () => run('pause', 'web'), has('web', 'suspend')],
          ['resumed', () => run('resume', 'web'), has('web', 'running')],
          ['stopped', () => run('stop', '--force', 'web'), has('web', 'ready')],
          ['renamed', () => run('rename', 'web', 'shop'), has('shop', 'ready')],
          ['started', () => incus.start('shop'), has('shop', 'running')],
          [
            'tagged',
            () => run('config', 'set', 'shop', 'user.team=web'),
            async () => (await metadataOf('shop'))['ext:team'] === 'web',
          ],
          [
            'created',
            () => incus.launch('fresh', '--network', bridge.name),
            has('fresh', 'running'),
          ],
          ['addressed', async () => {}, hasAddress],
          [
            'deleted',
            () => run('delete', '--force', 'fresh'),
            async () => (await find('fresh')) === undefined,
          ],
          ['moved', () => run('move', 'drawer', '--target-project', 'other'), isMoved],
        ]
      const drawer = await find('drawer')
      for (const [what, change, isShown] of steps) {
        await change()
        const start = performance.now()
        await eventually(`the change is visible: ${what}`, isShown, { deadline: 40 })
        t.diagnostic(`${what}: visible after ${((performance.now() - start) / 1_000).toFixed(1)} s`)
      }
      assert.equal((await find('shop'))?.id, before?.id, 'a renamed server keeps its id')
      assert.equal((await find('drawer'))?.id, drawer?.id, 'a moved server keeps its id')
    })

    test('keeps its servers while the daemon is down, and sees changes after its return', async (t) => {
      const before = await summary()
      const syncs = Array.from({ length: 5 }, () =>
        operator.request(`/cloudaccounts/${account}/sync`, 'POST'),
      )
      await pause(20)
      await incus.kill()
      await Promise.all(syncs)
      const isStatus = (wanted: string) => async () =>
        (await operator.show(account)).status === wanted
      await eventually('the account is disconnected', isStatus('disconnected'), { deadline: 40 })
      t.diagnostic((await operator.show(account)).sync.error)
      assert.deepEqual(await summary(), before)
      await incus.restart()
      await eventually('the account is connected again', isStatus('connected'), { deadline: 60 })
      assert.deepEqual(await summary(), before)
      await incus.run('pause', 'shop')
      await eventually('the change is visible', has('shop', 'suspend'), { deadline: 40 })
    })

    test('is synced after a crash of Muster, with the changes since', async () => {
      const before = (await operator.servers()).map(({ id }) => id)
      await muster.end('SIGKILL')
      await incus.run('resume', 'shop')
      muster = await startOperatedMuster(lifetime, place)
      operator = operate(muster, await loginAdmin(muster.authUrl))
      await eventually('the change is visible', has('shop', 'running'), { deadline: 40 })
      assert.deepEqual(
        (await operator.servers()).map(({ id }) => id),
        before,
      )
    })
  })
}

test('holds the servers of a project that the certificate lost', async (t) => {
  const incus = await startIncus()
  t.after(() => incus.stop())
  const muster = await startOperatedMuster(t, { folder: temporaryFolder(t) })
  const operator = operate(muster, await loginAdmin(muster.authUrl))
  const shared = ['features.images=false', 'features.profiles=false']
  await incus.run('project', 'create', 'lost', ...shared.flatMap((one) => ['--config', one]))
  await incus.launch('in-lost', '--project', 'lost')
  await incus.launch('in-default')
  const settings = await trustedClient(incus, 'limited', ['default', 'lost'])
  const account = await operator.attach({ provider: 'Incus', period, ...settings })
  const { sync } = await operator.finished(account)
  const statuses = async () =>
    (await operator.servers()).map(({ name, status }) => `${name} ${status}`)
  assert.deepEqual(await statuses(), ['in-default running', 'in-lost running'])
  await incus.limitTrust('limited', ['default'])
  await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
  const later = await operator.finished(account, sync.finished_at ?? '')
  assert.deepEqual(await statuses(), ['in-default running', 'in-lost unknown'])
  assert.equal(later.sync.warnings.length, 1)
})
