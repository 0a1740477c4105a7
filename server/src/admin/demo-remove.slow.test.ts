import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../testing/engines.ts'
import { onSqliteFirst } from '../testing/lanes.ts'
import { runAdminCommand } from '../testing/run-admin-command.ts'
import { temporaryFolder } from '../testing/spawn-muster.ts'
import { loginAdmin } from '../testing/client.ts'
import { startPlatform } from '../testing/start-platform.ts'

onSqliteFirst('muster admin demo remove', (engine) => {
  test('leaves what was there before the demo, and a consistent database', async (t) => {
    const folder = temporaryFolder(t)
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const installation = { folder, databaseUrl }
    const remove = () => runAdminCommand(installation, 'demo', 'remove')
    const flags = ['--demo', '--demo-servers=100']
    const demo = await startPlatform({ engine, beside: installation, flags })
    if (engine === 'sqlite') await assert.rejects(remove(), /--demo is set/)
    await demo.close()

    const platform = await startPlatform({ engine, beside: installation })
    try {
      const { db, commit } = platform.database
      const setProvider = (from: string, to: string) =>
        commit([
          db
            .updateTable('cloudaccounts')
            .set({ provider: to })
            .where('provider', '=', from)
            .compile(),
        ])
      await setProvider('Simulator', 'AWS')
      await assert.rejects(remove(), /has real servers or cloud accounts/)
      await setProvider('AWS', 'Simulator')

      const { status, stdout } = await remove()
      assert.equal(status, 0)
      assert.match(stdout, /^Removed the demo of 100 servers/)
      for (const table of ['servers', 'cloudaccounts'] as const) {
        assert.deepEqual(await db.selectFrom(table).select('id').execute(), [])
      }
      const names = async (table: 'domains' | 'projects' | 'users') =>
        (await db.selectFrom(table).select('name').execute()).map(({ name }) => name)
      assert.deepEqual(await names('domains'), ['Default'])
      assert.deepEqual(await names('projects'), ['system'])
      assert.deepEqual(await names('users'), ['sysadmin'])
      await loginAdmin(platform.url)
      await assert.rejects(remove(), /this database has no demo/)
      const check = await runAdminCommand(installation, 'check')
      assert.equal(check.status, 0, check.stdout)
    } finally {
      await platform.close()
    }
  })
})
