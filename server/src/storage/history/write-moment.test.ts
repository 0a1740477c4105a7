import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import type { Database } from '../database.ts'
import { wholeFacet } from '../servers/counts.ts'
import { openSqlite } from '../sqlite/open.ts'
import { findCommitAt } from './change-store.ts'
import { writeMomentOfPostgres } from './write-moment.ts'

test('a moment from PostgreSQL is right although servers change while they are copied', async (t) => {
  const fleet: InventoryWorld = await startInventoryWorld('postgres', { servers: 30 })
  t.after(() => fleet.platform.close())
  const { database } = fleet.platform
  const namesIn = async ({ db }: Pick<Database, 'db'>) => {
    const { rows } = await sql<{
      id: string
      name: string
    }>`select id, name from servers order by id`.execute(db)
    return rows.map(({ id, name }) => `${id} ${name}`)
  }
  const countedIn = async ({ db }: Pick<Database, 'db'>) => {
    const { servers } = await db
      .selectFrom('server_counts')
      .select((eb) => eb.fn.sum('servers').as('servers'))
      .where('facet', '=', wholeFacet)
      .executeTakeFirstOrThrow()
    return Number(servers)
  }
  const names = await namesIn(database)
  const counted = await countedIn(database)
  const commit = (await findCommitAt(database, fleet.tick())) ?? assert.fail()
  const facts = fleet.world.facts().map((one) => one.facts)
  await fleet.record(facts.slice(0, 5).map((one) => ({ ...one, name: 'before' })))

  let isCopying = true
  const changing: Database = {
    ...database,
    async run(queries, priority) {
      const rows = await database.run(queries, priority)
      const isCopy = queries.some(({ sql }) => sql.includes('"server_texts"'))
      if (isCopy && isCopying) {
        isCopying = false
        const changed = facts.slice(5, 10).map((one) => ({ ...one, name: 'meanwhile' }))
        const [project] = fleet.projects
        await fleet.record([...changed, minimalServer(project?.id ?? '')])
      }
      return rows
    },
  }
  const directory = join(fleet.platform.folder, 'moment')
  mkdirSync(directory)
  await writeMomentOfPostgres(changing, { commit, directory, onProgress: () => {} })
  assert.equal(isCopying, false)

  const moment = await openSqlite(directory, async () => {})
  try {
    assert.deepEqual(await namesIn(moment), names)
    assert.equal(await countedIn(moment), counted)
    const texts = await moment.db.selectFrom('server_texts').select('server').execute()
    assert.equal(texts.length, names.length)
  } finally {
    await moment.close()
  }
})
