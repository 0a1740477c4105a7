import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { findDemoRecord } from '../storage/demo-record.ts'
import { onPostgresFirst } from '../testing/lanes.ts'
import { dumpTables } from '../testing/open-storage.ts'
import { musterCommand, runMuster, spawnProcess, temporaryFolder } from '../testing/spawn-muster.ts'
import { startTestDemo } from '../testing/start-demo.ts'
import { adminPassword, startPlatform } from '../testing/start-platform.ts'
import { loginAdmin, ask } from '../testing/client.ts'

onPostgresFirst('a demo', (engine) => {
  test('of an earlier version is recreated, not duplicated', async (t) => {
    const { start, database, listServers } = await startTestDemo(t, engine)
    await start({ servers: 30 })
    assert.ok((await listServers()).length > 20)
    const { version: _version, ...note } = (await findDemoRecord(database.db)) ?? {}
    // Earlier versions gave servers other ids, and had no accounts.
    await database.commit(
      [
        sql`update servers set id = 'f' || substr(id, 2)`,
        sql`update server_documents set id = 'f' || substr(id, 2)`,
        sql`delete from cloudaccounts`,
        sql`delete from sightings`,
        sql`update settings set value = ${JSON.stringify({ ...note, hasAccounts: false })} where key = 'demo'`,
      ].map((statement) => statement.compile(database.db)),
    )
    // What is of the earlier version is gone before anything is loaded.
    const demo = await start({ isQuick: true })
    assert.equal(demo.servers, 30)
    assert.deepEqual(await listServers(), [])
    const accounts = await database.db.selectFrom('cloudaccounts').select('id').execute()
    assert.equal(accounts.length, 12)
  })

  // SQLite is for one process: there, it is tried below.
  if (engine === 'sqlite') return
  test('on other data is rejected and changes nothing', async (t) => {
    const platform = await startPlatform({ engine })
    t.after(() => platform.close())
    const beside = { engine, beside: platform, flags: ['--demo', '--demo-servers=5'] }
    const token = await loginAdmin(platform.url)
    const body = { domain: { name: 'Acme' } }
    await ask(platform.url, '/v3/domains', { method: 'POST', token, body })
    const before = await dumpTables(platform.database)
    await assert.rejects(startPlatform(beside), /--demo needs an empty database/)
    assert.deepEqual(await dumpTables(platform.database), before)
  })
})

/** Runs Muster in a working directory of its own. */
async function startIn(t: TestContext, folder: string, flags: readonly string[]) {
  const command = ['sh', '-c', `cd '${folder}' && exec "$0" "$@"`, ...musterCommand] as const
  const muster = spawnProcess(t, { command, flags: ['--port=0', ...flags] })
  await muster.printed("-d '{")
  return muster
}

test('a demo has its own data directory, and a leftover demo in ./data is reported', async (t) => {
  const folder = temporaryFolder(t)
  const data = `${folder}/data`
  mkdirSync(folder, { recursive: true })
  const demo = ['--demo', '--demo-servers=5']
  const old = await startIn(t, folder, [...demo, `--data-dir=${data}`])
  await old.printed('List servers as')
  assert.doesNotMatch(old.stdout(), /demo remove/)
  await old.end('SIGINT')

  const named = `${data} holds a demo of 5 servers.`
  const apart = await startIn(t, folder, demo)
  await apart.printed(named)
  await apart.printed(`muster admin demo remove --data-dir '${data}'`)
  await apart.end('SIGINT')

  const plain = await startIn(t, folder, [])
  await plain.printed(named)
  await plain.end('SIGINT')
})

test('a demo on other data is rejected with one line and status 2', async (t) => {
  const data = `--data-dir=${temporaryFolder(t)}/data`
  const environment = { MUSTER_ADMIN_PASSWORD: adminPassword }
  const muster = spawnProcess(t, { flags: ['--port=0', data], environment })
  await muster.printed("-d '{")
  const [, url = ''] = /auth_url +(\S+)/.exec(muster.stdout()) ?? []
  const token = await loginAdmin(url)
  const body = { domain: { name: 'Acme' } }
  assert.equal((await ask(url, '/v3/domains', { method: 'POST', token, body })).status, 201)
  await muster.end('SIGINT')
  const refused = await runMuster(t, ['--port=0', data, '--demo'])
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /^muster: --demo needs an empty database [^\n]*\n$/)
})
