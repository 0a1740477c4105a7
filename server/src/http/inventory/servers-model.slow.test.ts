import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import fc from 'fast-check'
import { ask } from '../../testing/client.ts'
import {
  askList,
  askStatistics,
  walkList,
} from '../../testing/inventory-world/check-against-model.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { nightlyRuns } from '../../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { createServerQueries } from '../../testing/inventory-world/random-server-queries.ts'
import { everything, type ServerQuery } from '../../testing/inventory-world/server-query.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'

const rounds = nightlyRuns(3)
const queriesPerRound = 70
const walksARound = 10
const statisticsARound = 20
const userStatus = 10
const timesAsked = 3

/** Queries repeated before and after every change, so that caches are used. */
const askAll = async (
  callers: readonly InventoryCaller[],
  servers: readonly Server[],
  serverQueries: readonly ServerQuery[],
) => {
  for (const serverQuery of serverQueries) {
    await Promise.all(callers.map((caller) => askList(caller, servers, serverQuery)))
  }
}

/** Time limit for shrinking a failure. */
const patience = { interruptAfterTimeLimit: 30_000, markInterruptAsFailure: true }

/** Fields that contain names of projects and domains. */
const byOwners = (names: readonly string[]): ServerQuery[] => [
  { ...everything, scope: 'max', orderBy: ['project'], limit: 100 },
  ...names.flatMap((name): ServerQuery[] => [
    { ...everything, parameters: [{ name: 'project', values: [name], isNumbered: false }] },
    {
      ...everything,
      scope: 'max',
      filters: [{ field: 'tenant', operator: 'equals', values: [name] }],
    },
  ]),
]

type Pick = <Value>(values: readonly Value[]) => Value

/** Changes of every kind; each is committed before the next. */
function createChanges(fleet: InventoryWorld, pick: Pick) {
  const { world, samples, callers, platform } = fleet
  const some = (count: number, isWanted: (server: Server) => boolean) => {
    const wanted = world.servers().filter(isWanted)
    return [...new Set(Array.from({ length: count }, () => pick(wanted).id))]
  }
  const seenBy: [InventoryCaller, (server: Server) => boolean][] = [
    [callers.owner, ({ project_id }) => project_id === fleet.projects[0]?.id],
    [callers.domainAdmin, ({ domain_id }) => domain_id === fleet.projects[0]?.domainId],
    [callers.admin, () => true],
  ]

  async function tag(operation: 'mergeServerMetadata' | 'replaceServerMetadata'): Promise<void> {
    const [caller, sees] = pick(seenBy)
    const [id = ''] = some(1, (server) => sees(server) && !server.deleted)
    const [wishes, removed] = [samples.tags(3), Object.keys(samples.tags(1))]
    const bare = (key: string) => key.replace(/^user:/, '')
    const wanted = Object.fromEntries(Object.entries(wishes).map(([key, to]) => [bare(key), to]))
    const gone = removed.map(bare).filter((key) => !Object.hasOwn(wanted, key))
    const at = fleet.tick()
    await caller.get(operation, {
      path: { id },
      body: { metadata: { ...wanted, ...Object.fromEntries(gone.map((key) => [key, null])) } },
    })
    const replaces = operation === 'replaceServerMetadata'
    world.tag(
      id,
      (own) => {
        const kept = Object.entries(replaces ? {} : own).filter(([key]) => !gone.includes(key))
        return { ...Object.fromEntries(kept), ...wanted }
      },
      at,
    )
  }

  async function rename(): Promise<void> {
    const project = pick(fleet.projects)
    const name = `${project.name.slice(0, 20)} ${world.servers().length}`
    const answer = await ask(platform.url, `/v3/projects/${project.id}`, {
      method: 'PUT',
      token: callers.admin.token,
      body: { project: { name } },
    })
    assert.equal(answer.status, 200, answer.text)
    project.name = name
  }

  async function change(): Promise<void> {
    const changed = some(10, () => true).map((id) => samples.facts(id))
    const fresh = [samples.facts(), samples.facts()]
    const gone = some(4, ({ deleted }) => !deleted).filter(
      (id) => !changed.some((facts) => facts.id === id),
    )
    await fleet.record([...changed, ...fresh], gone)
    for (const operation of ['mergeServerMetadata', 'replaceServerMetadata'] as const) {
      for (let count = 0; count < 4; count += 1) await tag(operation)
    }
  }
  return { change, rename }
}

onBothEngines('SEC-60: server lists agree with a reference model', (engine) => {
  let fleet: InventoryWorld
  let changes: ReturnType<typeof createChanges>
  before(async () => {
    fleet = await startInventoryWorld(engine)
    const draw = createNumbers(2)
    changes = createChanges(fleet, (values) => values[draw(values.length - 1)] as never)
    await changes.change()
  })
  after(() => fleet.platform.close())

  for (let round = 0; round < rounds; round += 1) {
    test(`for every caller and query, after ${round} changes`, async () => {
      let servers = fleet.world.servers()
      const { serverQuery, serverFilter, groups } = createServerQueries(servers)
      const caller = fc.nat({ max: fleet.all.length - 1 })
      const by = (at: number) => fleet.all[at] as InventoryCaller

      await fc.assert(
        fc.asyncProperty(caller, serverQuery, async (at, asked) => {
          await askList(by(at), servers, asked)
        }),
        { numRuns: queriesPerRound, ...patience },
      )
      await fc.assert(
        fc.asyncProperty(
          caller,
          serverQuery,
          fc.integer({ min: 4, max: 12 }),
          async (at, asked, n) => {
            await walkList(by(at), servers, { ...asked, limit: n, offset: undefined })
          },
        ),
        { numRuns: walksARound, ...patience },
      )
      await fc.assert(
        fc.asyncProperty(caller, serverFilter, groups, async (at, asked, by_) => {
          await askStatistics(by(at), servers, asked, by_)
        }),
        { numRuns: statisticsARound, ...patience },
      )

      const again = [
        ...fc.sample(serverQuery, { numRuns: userStatus, seed: round }),
        ...byOwners(fleet.projects.map(({ name }) => name)),
      ]
      // A rename changes no server, but cached responses must not outlive it.
      for (const change of [changes.change, changes.rename]) {
        // Some responses are cached only at the second request.
        for (let time = 0; time < timesAsked; time += 1) await askAll(fleet.all, servers, again)
        await change()
        servers = fleet.world.servers()
        await askAll(fleet.all, servers, again)
      }
    })
  }

  test('a server reported twice by a source is stored once, with the last values', async () => {
    const { recordServers } = fleet.platform.inventory
    const [first, second] = [fleet.samples.facts(), fleet.samples.facts()]
    const last = { ...first, name: 'named last', pending_deleted: false }
    const gone = { present: [first, second, last], gone: [last.id, 'never there', 'never there'] }
    assert.deepEqual(await recordServers(gone), { created: 2, changed: 0, gone: 0 })
    const { body } = await fleet.callers.admin.call<{ servers: Server[] }>('listServers', {
      query: `scope=system&id=${first.id}`,
    })
    assert.deepEqual(
      body.servers.map(({ name }) => name),
      ['named last'],
    )
  })
})
