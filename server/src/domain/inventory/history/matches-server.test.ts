import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serverOperations, type Server } from '@muster/contract'
import fc from 'fast-check'
import { createQueryReader } from '../../../http/query.ts'
import { createServerQueries } from '../../../testing/inventory-world/random-server-queries.ts'
import { everything, queryText } from '../../../testing/inventory-world/server-query.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane } from '../../../testing/lanes.ts'
import type { Owner } from '../ports.ts'
import { readServerQuery } from '../server-list/read-server-query.ts'
import { createMatchesServer, matchesState } from './matches-server.ts'

const [listServers] = serverOperations
const readQuery = createQueryReader(listServers)

/** Parameters that the random filters do not have. */
const otherParameters = [
  'network=n1',
  'network=n2&network=n3',
  'obj_tags.0.0.key=env&obj_tags.0.1.key=team&obj_tags.1.0.key=Name',
  'obj_tags.0.0.key=user:env&obj_tags.0.0.value=prod',
  'no_obj_tags.0.0.key=env',
  'no_obj_tags.0.0.key=env&no_obj_tags.0.0.value=prod&no_obj_tags.1.0.key=team',
]

/** Filters that random ones rarely are. */
const rareFilters = [
  'q=network:""',
  'q=-network:n1',
  'ip=::ffff:10.4.0.0/120',
  'ip=0:0:0:0:0:0:0:0',
  'ip=2001:db8::/32&ip=10.5.0.0/16',
  'tags=sys:task_id',
  'tags=sys:source_status',
  'tags=user:user:env',
  'tags=user:env=prod',
  'tags=ext:env=test',
  'tags=env=prod',
  'tags=env=test',
  'tags=team=x_y',
  'tags=user:team',
  'filter=project.isempty()',
  'filter=manager_project.isnotempty()',
  "filter=manager_domain.notequals('Trade')",
  'project=',
  'host=&zone=z1',
  "filter=expired_at.notin('2026-01-02T03:04:05.000001Z')",
  'q=-expired_at>2020-01-01',
  'deleted=true&search=ο',
  'search=xy',
  'search=hidden',
]

onEngineOfLane('a server matches a filter in memory', (engine) => {
  let fleet: InventoryWorld
  let stored: readonly Server[]
  let owners: ReadonlyMap<string, Owner>

  before(async () => {
    fleet = await startInventoryWorld(engine)
    const { samples, callers, world, projects } = fleet
    const someIds = (from: number) =>
      world
        .servers()
        .slice(from, from + 40)
        .map(({ id }) => id)
    const [tagged, changed, gone] = [someIds(0), someIds(40), someIds(80)]
    const unusual = {
      ...samples.facts(),
      pending_deleted: false,
      manager_project_id: 'gone',
      tags: { env: 'test', team: 'x_y' },
      notes: { task_id: 'hidden' },
    }
    await fleet.record([...changed.map((id) => samples.facts(id)), unusual], gone)
    for (const id of [...tagged, unusual.id]) {
      // It hides the tag of the source with this key.
      const metadata = { env: 'prod', Name: '' }
      await callers.admin.get('mergeServerMetadata', { path: { id }, body: { metadata } })
    }
    const ids = world.servers().map(({ id }) => id)
    const found = await fleet.platform.inventory.serverWriter.findStored(ids)
    stored = [...found.values()].map(({ server }) => server)
    owners = new Map(
      projects.map(({ id, name, domainId, domain }) => [
        id,
        { projectId: id, project: name, domainId, domain },
      ]),
    )
  })
  after(() => fleet.platform.close())

  async function assertSame(query: string): Promise<number> {
    const { where, state } = readServerQuery(readQuery(`/servers?${query}`))
    const matches = createMatchesServer(where, owners)
    const expected = stored.filter((server) => matchesState(server, state) && matches(server))
    const { servers } = await fleet.callers.admin.get<{ servers: readonly { id: string }[] }>(
      'listServers',
      { query: `${query}&limit=2048&field=id` },
    )
    const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id).toSorted()
    assert.deepEqual(ids(expected), ids(servers), query)
    return servers.length
  }

  test('as in a list, for random filters', async () => {
    const { serverFilter } = createServerQueries(fleet.world.servers())
    const query = fc
      .tuple(serverFilter, fc.option(fc.constantFrom(...otherParameters), { nil: '' }))
      .map(
        ([filter, other]) => `${queryText({ ...everything, ...filter, scope: 'system' })}&${other}`,
      )
    let matching = 0
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        if ((await assertSame(text)) > 0) matching += 1
      }),
      {
        numRuns: runsInLane(3_000),
        interruptAfterTimeLimit: 120_000,
        markInterruptAsFailure: true,
      },
    )
    assert.ok(matching > 0)
  })

  for (const query of [...otherParameters, ...rareFilters]) {
    test(`as in a list, for "${query}"`, async () => {
      await assertSame(`${query}&scope=system`)
    })
  }
})
