import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { inventoryKinds } from '../../domain/inventory/kinds.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import type { Database } from '../database.ts'
import { wholeFacet } from '../servers/counts.ts'
import { openSqlite } from '../sqlite/open.ts'
import { openDirectory } from '../sqlite/open-directory.ts'
import { findCommitAt, findNewestCommit } from './change-store.ts'
import { writeMoment, type MomentFolder } from './write-moment.ts'

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
  await writeMoment(changing, { base: undefined, commit, directory, onProgress: () => {} })
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

onEngineOfLane('a moment is the same whatever it is copied from', (engine) => {
  test('also after servers were purged and came back', async (t) => {
    const fleet = await startInventoryWorld(engine, {
      servers: 8,
      flags: ['--deleted-retention=1s'],
    })
    t.after(() => fleet.platform.close())
    const { database, folder } = fleet.platform
    const [first, second, ...others] = fleet.world.facts().map(({ facts }) => facts)
    assert.ok(first && second)
    const [, project] = fleet.projects
    const steps = [
      () => fleet.record([{ ...second, name: 'renamed', host: 'another host' }], [first.id]),
      async () => {
        fleet.skip(5_000)
        await fleet.platform.inventory.purgeDeleted()
        await fleet.record([...others.slice(0, 2), minimalServer(fleet.projects[0]?.id ?? '')])
      },
      // It has another number now.
      () => fleet.record([{ ...first, name: 'returned', project_id: project?.id ?? '' }]),
      () =>
        fleet.record(
          [first, second],
          others.slice(0, 1).map(({ id }) => id),
        ),
    ]
    let count = 0
    async function build(commit: number, base?: MomentFolder): Promise<MomentFolder> {
      count += 1
      const directory = join(folder, `moment ${count}`)
      mkdirSync(directory)
      const source = engine === 'sqlite' ? openDirectory(join(folder, 'data')) : database
      await writeMoment(source, { base, commit, directory, onProgress: () => {} })
      return { commit, directory }
    }
    async function contentOf({ directory }: MomentFolder): Promise<string> {
      const moment = await openSqlite(directory, async () => {})
      const read = async (text: string) => {
        const { rows } = await sql.raw(text).execute(moment.db)
        return rows
      }
      try {
        return JSON.stringify([
          await read('select seq, id, name, state from servers order by seq'),
          await read('select rowid from server_search order by rowid'),
          await read(`select facet, project_id, servers, vmem_size from server_counts
            where servers > 0 order by facet, project_id, servers, vmem_size`),
          await read('select server, address from server_addresses order by server, address'),
          ...(await Promise.all(
            inventoryKinds.map((kind) => read(`select id, name from ${kind} order by id`)),
          )),
        ])
      } finally {
        await moment.close()
      }
    }

    // Some are built before servers that they have are purged.
    const bases = [await build(await findNewestCommit(database))]
    for (const step of steps) {
      await step()
      bases.push(await build(await findNewestCommit(database)))
    }
    const contents: string[] = []
    for (const { commit } of bases) contents.push(await contentOf(await build(commit)))
    assert.equal(new Set(contents).size, bases.length)
    for (const [from, base] of bases.entries()) {
      for (const [at, { commit }] of bases.entries()) {
        const content = await contentOf(await build(commit, base))
        assert.equal(content, contents[at], `moment ${at} from ${from}`)
      }
    }
  })
})
