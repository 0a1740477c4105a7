import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountGap, ServerChange } from '@muster/contract'
import { ask, loginAdmin } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { refuse, startFakeEc2 } from './testing/fake-ec2.ts'
import { operate, startOperatedMuster } from './testing/inventory-world/operate-muster.ts'
import { onPostgresFirst } from './testing/lanes.ts'
import { runAdminCommand } from './testing/run-admin-command.ts'
import { temporaryFolder } from './testing/spawn-muster.ts'

const period = 5
/** Longer than a period, and than a scan may be late. */
const outage = 14_000

onPostgresFirst('gaps', (engine) => {
  test('REL: are told after Muster was killed, after a source was down, and after a restore', async (t) => {
    const folder = temporaryFolder(t)
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const place = { folder, ...(databaseUrl !== undefined && { databaseUrl }) }
    const ec2 = await startFakeEc2(t)
    const instance = 'i-0123456789abcdef0'
    ec2.instances.set(instance, { name: 'first' })
    let muster = await startOperatedMuster(t, place)
    let token = await loginAdmin(muster.authUrl)
    let operator = operate(muster, token)
    const start = async () => {
      muster = await startOperatedMuster(t, place)
      token = await loginAdmin(muster.authUrl)
      operator = operate(muster, token)
    }
    const id = await operator.attach({ provider: 'Aws', ...ec2.settings, period })

    const gaps = async () =>
      (await operator.request<{ gaps: AccountGap[] }>(`/cloudaccounts/${id}/gaps`)).gaps
    const lastSync = async () => (await operator.show(id)).sync.finished_at ?? ''
    /** When the account was complete once more, so that the scan before it was in time. */
    const settled = async () => {
      await operator.finished(id, (await operator.finished(id)).sync.finished_at ?? '')
    }
    /** The newest gap contains the time, the answer about that time names it, and so does the change. */
    async function assertTold(time: string, name: string, count: number): Promise<void> {
      const all = await eventually('the gap has ended', async () => {
        const found = await gaps()
        return found.length === count && found[0]?.until !== null && found
      })
      const [gap] = all
      assert.ok(gap?.from && gap.until && gap.from < time && time < gap.until, JSON.stringify(all))
      const then = await ask(muster.baseUrl, `/servers?scope=max&as_of=${time}`, { token })
      const seconds = [
        Math.floor(Date.parse(gap.from) / 1_000),
        Math.ceil(Date.parse(gap.until) / 1_000),
      ]
      assert.equal(
        then.headers.get('muster-gaps'),
        `"${id}";from=@${seconds[0]};until=@${seconds[1]}`,
      )
      const { changes } = await operator.request<{ changes: ServerChange[] }>(
        '/servers/changes?scope=max&kind=renamed&limit=1',
      )
      assert.deepEqual(changes[0]?.changes['name']?.[1], name)
      assert.equal(changes[0].not_observed_since, gap.from)
    }

    await settled()
    assert.deepEqual(
      (await gaps()).map(({ from }) => from),
      [null],
      'before the first scan only',
    )
    await muster.end('SIGKILL')
    const killed = new Date(Date.now() + 1_000).toISOString()
    ec2.instances.set(instance, { name: 'second' })
    await pause(outage)
    await start()
    await assertTold(killed, 'second', 2)

    await settled()
    ec2.misbehave = (_, response) => refuse(response, 503, 'Unavailable')
    const down = new Date(Date.now() + 3_000).toISOString()
    ec2.instances.set(instance, { name: 'third' })
    const [open] = await eventually(
      'the gap goes on',
      async () => {
        const found = await gaps()
        return found[0]?.until === null && found
      },
      { deadline: 40 },
    )
    assert.equal(open?.from, await lastSync())
    ec2.misbehave = undefined
    await operator.request(`/cloudaccounts/${id}/sync`, 'POST')
    await assertTold(down, 'third', 3)

    await settled()
    const installation = { folder, databaseUrl }
    const file = join(folder, 'muster.backup')
    assert.equal((await runAdminCommand(installation, 'backup', file)).status, 0)
    const saved = new Date(Date.now() + 6_000).toISOString()
    ec2.instances.set(instance, { name: 'fourth' })
    await pause(outage)
    await muster.end('SIGKILL')
    const restored = await runAdminCommand(installation, 'restore', file, '--replace')
    assert.equal(restored.status, 0, restored.stderr)
    await start()
    await assertTold(saved, 'fourth', 4)
  })
})
