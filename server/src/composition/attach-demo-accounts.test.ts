import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { ConfigError } from '../config/parsers.ts'
import { simulatedAccounts } from '../../../simulator/src/sites.ts'
import { onEngineOfLane } from '../testing/lanes.ts'
import { dumpTables } from '../testing/open-storage.ts'
import { dumpOrganisation, startTestDemo } from '../testing/start-demo.ts'
import { demoProjects } from '../../../simulator/src/demo/organisation.ts'

onEngineOfLane('the accounts of a demo', (engine) => {
  const startDemo = (t: TestContext) => startTestDemo(t, engine)

  test('continues an interrupted load', async (t) => {
    const { start, loads, accounts, database } = await startDemo(t)
    await start({ servers: 50, isQuick: true })
    const { db } = database
    const [one] = await accounts.all()
    await database.commit([
      db
        .updateTable('account_syncs')
        .set({ finished_at: null })
        .where('account_id', '=', one?.account.id ?? '')
        .compile(),
    ])
    await start({ isQuick: true })
    assert.equal(loads(), 1)
  })

  test('does not change existing accounts', async (t) => {
    const { start, accounts, database } = await startDemo(t)
    await start({ servers: 50, isQuick: true })
    const { db } = database
    const [deleted, disabled, renamed] = (await accounts.all()).map(({ account }) => account.id)
    const change = db.updateTable('cloudaccounts')
    await database.commit([
      db
        .deleteFrom('cloudaccounts')
        .where('id', '=', deleted ?? '')
        .compile(),
      change
        .set({ enabled: 0 })
        .where('id', '=', disabled ?? '')
        .compile(),
      change
        .set({ name: 'another', name_key: 'another', period: 60 })
        .where('id', '=', renamed ?? '')
        .compile(),
    ])
    const before = await dumpOrganisation(database)
    await start({ isQuick: true })
    assert.deepEqual(await dumpOrganisation(database), before)
    await start({ servers: 60, isQuick: true })
    const grown = await accounts.all()
    assert.equal(grown.length, simulatedAccounts(0).length - 1)
    const find = (id = '') => grown.find(({ account }) => account.id === id)?.account
    assert.deepEqual([find(disabled)?.enabled, find(disabled)?.options['servers']], [false, 60])
    assert.deepEqual([find(renamed)?.name, find(renamed)?.period], ['another', 60])
  })

  test('has another project for each thousand servers, with a rule in every account', async (t) => {
    const { start, accounts } = await startDemo(t)
    await start({ servers: 30, isQuick: true })
    await start({ servers: 13_000, isQuick: true })
    const ids = demoProjects(13_000).map(({ id }) => id)
    assert.equal(ids.length, 13)
    for (const { account } of await accounts.all()) {
      assert.deepEqual(account.options, {
        servers: 13_000,
        seed: 20_260_101,
        cloud_account: account.name,
        tenants: ids,
      })
      assert.deepEqual(
        account.mapping,
        ids.map((id) => ({ tenant: id, project_id: id })),
      )
      assert.equal(account.project_id, ids[0])
    }
  })

  test('is rejected on real data and changes nothing', async (t) => {
    const { start, serverWriter, database } = await startDemo(t)
    const requireRefusal = async (message: RegExp) => {
      const before = await dumpTables(database)
      await assert.rejects(start(), (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, message)
        return true
      })
      assert.deepEqual(await dumpTables(database), before)
    }
    const real = t.mock.method(serverWriter, 'hasRealServers', async () => true)
    await requireRefusal(/^--demo cannot be used with a database that has real servers[^\n]*$/)
    real.mock.restore()
    const { db } = database
    const [project] = await db.selectFrom('projects').select('id').execute()
    const row = { id: 'real', name: 'real', name_key: 'real', provider: 'Aws', brand: 'Aws' }
    const settings = { address: '', options: '{}', mapping: '[]', credentials: '' }
    const rest = {
      period: 30,
      enabled: 0,
      created_at: 0,
      revision: 1,
      leaving: 0,
      access: 'observe',
      max_actions: 10,
      request_timeout: 20,
    }
    await database.commit([
      db
        .insertInto('cloudaccounts')
        .values({ ...row, ...settings, ...rest, project_id: project?.id ?? '' })
        .compile(),
      sql`insert into account_syncs (account_id) values ('real')`.compile(db),
    ])
    await requireRefusal(
      /^--demo cannot be used with a database that has real cloud accounts[^\n]*$/,
    )
  })
})
