import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { until } from '../../server/src/testing/inventory-world/attached-accounts.ts'
import { loginAdmin } from '../../server/src/testing/client.ts'
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
import { createFleet } from './fleet.ts'
import { startMoto, type TestMoto } from './start.ts'

const period = 5
/** One period, and what a scan of an emulator in Python takes. */
const promised = (period + 4) * 1_000

describe('moto, an emulator of EC2, attached over the API', () => {
  const lifetime = suiteLifetime()
  const place = { folder: '' }
  let moto: TestMoto
  let fleet: ReturnType<typeof createFleet>
  let muster: Muster
  let operator: Operator
  let account: string
  let web: string
  before(async () => {
    moto = await startMoto()
    fleet = createFleet(moto)
    ;[web = ''] = await fleet.run({ name: 'web' })
    await fleet.run({ name: 'db', count: 4 })
    place.folder = temporaryFolder(lifetime)
    muster = await startOperatedMuster(lifetime, place)
    operator = operate(muster, await loginAdmin(muster.authUrl))
    account = await operator.attach({
      provider: 'Aws',
      address: moto.url,
      credentials: moto.key,
      options: { regions: ['eu-west-1'] },
      period,
    })
    await operator.finished(account)
  })
  after(() => moto.stop())

  async function timeUntil(isShown: (servers: readonly Server[]) => boolean): Promise<number> {
    const start = performance.now()
    await until('the change shows', async () => isShown(await operator.servers()), 40)
    return Math.round(performance.now() - start)
  }
  const has = (name: string, status: string) => (servers: readonly Server[]) =>
    servers.some((server) => server.name === name && server.status === status)

  test('shows its instances', async () => {
    const { status, sync } = await operator.show(account)
    assert.deepEqual([status, sync.error], ['connected', ''])
    assert.deepEqual(
      (await operator.servers()).map(({ name, status: state }) => `${name} ${state}`),
      [...Array.from({ length: 4 }, () => 'db running'), 'web running'],
    )
  })

  test('shows each change within a period', async (t) => {
    const before = (await operator.servers()).find(({ name }) => name === 'web')
    let fresh = ''
    const rename = () =>
      moto.order({
        call: 'create_tags',
        with: { Resources: [web], Tags: [{ Key: 'Name', Value: 'shop' }] },
      })
    const steps: readonly (readonly [
      string,
      () => Promise<unknown>,
      (servers: readonly Server[]) => boolean,
    ])[] = [
      ['stopped', () => fleet.change('stop_instances', web), has('web', 'ready')],
      ['renamed', rename, has('shop', 'ready')],
      ['started', () => fleet.change('start_instances', web), has('shop', 'running')],
      [
        'made',
        async () => {
          ;[fresh = ''] = await fleet.run({ name: 'fresh' })
        },
        has('fresh', 'running'),
      ],
      [
        'terminated',
        () => fleet.change('terminate_instances', fresh),
        (servers) => servers.every(({ name }) => name !== 'fresh'),
      ],
    ]
    for (const [what, work, isShown] of steps) {
      await work()
      const took = await timeUntil(isShown)
      t.diagnostic(`${what}: shown after ${took} ms at a period of ${period} s`)
      assert.ok(took < promised, what)
    }
    const shop = (await operator.servers()).find(({ name }) => name === 'shop')
    assert.equal(shop?.id, before?.id, 'it is the same server all along')
  })

  test('shows a change at once to whoever asks for it', async (t) => {
    await fleet.change('stop_instances', web)
    const { id = '' } = (await operator.servers()).find(({ name }) => name === 'shop') ?? {}
    const start = performance.now()
    await operator.demand(`/servers/${id}/syncstatus`, 'POST')
    await timeUntil(has('shop', 'ready'))
    t.diagnostic(`syncstatus: shown after ${Math.round(performance.now() - start)} ms`)
    await fleet.change('start_instances', web)
    await operator.demand(`/cloudaccounts/${account}/sync`, 'POST')
    const took = await timeUntil(has('shop', 'running'))
    t.diagnostic(`sync: shown after ${took} ms`)
  })

  test('is taken up again when Muster starts anew, with what happened meanwhile', async (t) => {
    const before = (await operator.servers()).map(({ id }) => id)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await muster.end(signal)
      await fleet.change(signal === 'SIGTERM' ? 'stop_instances' : 'start_instances', web)
      muster = await startOperatedMuster(lifetime, place)
      operator = operate(muster, await loginAdmin(muster.authUrl))
      const took = await timeUntil(has('shop', signal === 'SIGTERM' ? 'ready' : 'running'))
      t.diagnostic(`after ${signal}: shown ${took} ms after the start`)
      assert.ok(took < promised)
      assert.deepEqual(
        (await operator.servers()).map(({ id }) => id),
        before,
      )
    }
  })

  test('that dies loses nobody, and says so', async () => {
    const before = (await operator.servers()).map(({ id, name, status }) => [id, name, status])
    await operator.demand(`/cloudaccounts/${account}/sync`, 'POST')
    await moto.stop()
    await until(
      'it is said',
      async () => (await operator.show(account)).status === 'disconnected',
      20,
    )
    const { sync } = await operator.show(account)
    assert.match(
      sync.error,
      /127\.0\.0\.1 (?:refuses the connection|closed the connection|stopped in the middle)/,
    )
    assert.deepEqual(
      (await operator.servers()).map(({ id, name, status }) => [id, name, status]),
      before,
    )
  })
})
