import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { background } from '../../domain/inventory/ports.ts'
import { startAttached } from '../../testing/inventory-world/attached-accounts.ts'

const accounts = 6
const serversEach = 150

describe('concurrent syncs of several accounts of one project (postgres)', () => {
  test('all succeed, and the counts are correct', async (t) => {
    const lines: string[] = []
    const log = { level: 'warn', destination: { write: (line: string) => void lines.push(line) } }
    // Fewer connections than concurrent commits: waiting for one is not a failure.
    const flags = ['--database-sync-connections=3']
    const attached = await startAttached(t, 'postgres', { flags, log })
    const made = await Promise.all(
      Array.from({ length: accounts }, (_, index) =>
        attached.attach({
          provider: 'Simulator',
          options: { servers: serversEach, seed: index + 1 },
        }),
      ),
    )
    const synced = await Promise.all(made.map(({ id }) => attached.synced(id)))
    for (const { status, servers, sync } of synced) {
      assert.equal(status, 'connected')
      assert.equal(sync.error, '')
      assert.ok(servers > 0.9 * serversEach, `${servers}`)
    }
    assert.deepEqual(lines, [])

    const { database } = attached
    const { db } = database
    // Read together, because simulated servers come and go.
    const [counted = [], [inUse] = []] = await database.run(
      [
        db
          .selectFrom('server_counts')
          .select(({ fn }) => ['facet', fn.sum('servers').as('servers')])
          .groupBy('facet')
          .compile(),
        db
          .selectFrom('servers')
          .select(({ fn }) => fn.countAll().as('servers'))
          .where('state', '=', 0)
          .compile(),
      ],
      background,
    )
    assert.ok(counted.length > 0)
    for (const { facet, servers } of counted) {
      assert.equal(Number(servers), Number(inUse?.['servers']), String(facet))
    }
  })
})
