import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Check, CheckViolation, NewCheck, Server, ServerChange } from '@muster/contract'
import { createEvaluateChecks } from '../../domain/checks/evaluate-checks.ts'
import { createEvaluationStore } from '../../storage/checks/evaluation-store.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import { projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane } from '../../testing/lanes.ts'

/** What the model knows of an interval in which a server matches. */
interface Interval {
  readonly check: string
  readonly server: string
  readonly project: string
  readonly domain: string
  readonly since: number
  until: number | null
}

type Draw = ReturnType<typeof createNumbers>

const second = 1_000

const queries: readonly Pick<NewCheck, 'name' | 'q' | 'grace'>[] = [
  { name: 'not running', q: '-status:running' },
  { name: 'stopped for long', q: 'status:ready', grace: 7 },
  { name: 'no env', q: '-tag:env' },
  { name: 'env prod for some time', q: 'tag:env=v1,v2', grace: 4 },
  { name: 'many processors', q: 'vcpu>=4 status:running,ready' },
]

onEngineOfLane('violations of checks', (engine) => {
  let fleet: InventoryWorld
  let start: number
  let neighbour: InventoryCaller
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 20,
      seed: 5,
      flags: ['--deleted-retention=1s'],
    })
    neighbour = await fleet.addCaller('project_owner', projectAt(fleet, 1))
    start = fleet.tick()
  })
  after(() => fleet.platform.close())

  /** Two commits of one step can be some milliseconds apart. */
  const stepOf = (time: string) => Math.floor((Date.parse(time) - start) / second)

  const createCheck = async (caller: InventoryCaller, check: NewCheck) =>
    (await caller.get<{ check: Check }>('createCheck', { body: { check } })).check

  async function violationsOf(caller: InventoryCaller, { id }: Check) {
    const { violations } = await caller.get<{ violations: CheckViolation[] }>(
      'listCheckViolations',
      { path: { id }, query: 'limit=2048' },
    )
    return violations
  }

  /** Which servers match now, as the list of servers says. */
  async function matching(check: Check): Promise<readonly Server[]> {
    const { servers } = await fleet.callers.admin.get<{ servers: Server[] }>('listServers', {
      query: `scope=system&limit=2048&q=${encodeURIComponent(check.q)}`,
    })
    return servers.filter(
      ({ project_id, domain_id }) =>
        (check.project_id === '' || check.project_id === project_id) &&
        (check.domain_id === '' || check.domain_id === domain_id),
    )
  }

  const intervals: Interval[] = []
  async function follow(checks: readonly Check[], time: number): Promise<void> {
    for (const check of checks) {
      const found = new Map((await matching(check)).map((server) => [server.id, server]))
      const lasting = intervals.filter((each) => each.check === check.id && each.until === null)
      for (const interval of lasting) {
        const isSame = found.get(interval.server)?.project_id === interval.project
        if (isSame) found.delete(interval.server)
        else interval.until = time
      }
      for (const { id, project_id, domain_id } of found.values()) {
        intervals.push({
          check: check.id,
          server: id,
          project: project_id,
          domain: domain_id,
          since: time,
          until: null,
        })
      }
    }
  }

  /** One commit: servers appear, change, move, are tagged, recycled, gone, and return. */
  async function change(draw: Draw): Promise<void> {
    const { samples, world, projects } = fleet
    const known = world.facts()
    const present = known.filter(({ isDeleted }) => !isDeleted)
    const { facts } = present[draw(present.length - 1)] ?? assert.fail()
    const { id, account_id, project_id } = facts
    switch (draw(6)) {
      case 0:
        return await fleet.record([samples.facts()])
      case 1:
        return await fleet.record([], [id])
      case 2: {
        const gone = known.find(({ isDeleted }) => isDeleted)
        return await fleet.record([gone?.facts ?? samples.facts()])
      }
      case 3: {
        const project = projects[draw(projects.length - 1)]?.id ?? project_id
        return await fleet.record([{ ...facts, project_id: project }])
      }
      case 4:
        return await fleet.recycle([id], draw(1) === 0)
      case 5: {
        fleet.tick()
        await fleet.callers.admin.get('mergeServerMetadata', {
          path: { id },
          body: { metadata: { env: `v${draw(4)}` } },
        })
        return undefined
      }
      default:
        return await fleet.record([{ ...samples.facts(), id, account_id, project_id }])
    }
  }

  /** Evaluates, but stops at a random commit, as a process does that is killed. */
  async function evaluateAndDie(draw: Draw): Promise<void> {
    const { platform } = fleet
    const clock = () => fleet.now()
    const store = createEvaluationStore(platform.database, clock)
    let left = draw(4)
    const dying = createEvaluateChecks({
      ...platform.inventory,
      accounts: platform.sources.accounts,
      clock,
      onError: () => {},
      store: {
        ...store,
        async save(...step) {
          if (left === 0) throw new Error('killed')
          left -= 1
          return await store.save(...step)
        },
        saveError: async () => {},
      },
    })
    await dying()
  }

  test('are those of a model, for every caller, as time passes', async () => {
    const draw = createNumbers(11)
    const { admin, owner, domainAdmin, viewer } = fleet.callers
    const { platform } = fleet
    const checks: Check[] = []
    for (const check of queries)
      checks.push(await createCheck(admin, { ...check, scope: 'system' }))
    checks.push(await createCheck(domainAdmin, { name: 'of the domain', q: 'status:running' }))
    checks.push(
      await createCheck(owner, { name: 'of the project', q: '-status:running', grace: 3 }),
    )
    await platform.checks.evaluateChecks()
    await follow(checks, start)

    const steps = runsInLane(120) + 20
    for (let step = 0; step < steps; step += 1) {
      await change(draw)
      await follow(checks, fleet.now())
      if (draw(9) === 0) {
        fleet.tick()
        await platform.inventory.purgeDeleted()
      }
      if (draw(3) === 0) await platform.checks.evaluateChecks()
      if (draw(5) === 0) await evaluateAndDie(draw)
    }
    const end = fleet.tick()
    await platform.checks.evaluateChecks()

    const seesAll = () => true
    const inDomain = ({ domain }: Interval) => domain === projectAt(fleet, 0).domainId
    const inProject =
      (at: number) =>
      ({ project }: Interval) =>
        project === projectAt(fleet, at).id
    const sights = [
      { caller: admin, sees: seesAll, scope: '' },
      { caller: domainAdmin, sees: inDomain, scope: projectAt(fleet, 0).domainId },
      { caller: owner, sees: inProject(0), scope: projectAt(fleet, 0).id },
      { caller: viewer, sees: inProject(0), scope: projectAt(fleet, 0).id },
      { caller: neighbour, sees: inProject(1), scope: projectAt(fleet, 1).id },
    ]
    let compared = 0
    for (const { caller, sees, scope } of sights) {
      for (const check of checks) {
        const isVisible = scope === '' || [check.project_id, check.domain_id].includes(scope)
        if (!isVisible || (check.project_id === '' && scope === projectAt(fleet, 0).id)) {
          await caller.fail('ResourceNotFoundError', 'listCheckViolations', {
            path: { id: check.id },
          })
          continue
        }
        const grace = check.grace * second
        const expected = intervals
          .filter((each) => each.check === check.id && sees(each))
          .filter(({ since, until }) => since + grace <= (until ?? end))
          .map(({ server, project, since, until }) =>
            [
              server,
              project,
              (since - start) / second,
              until === null ? '' : (until - start) / second,
            ].join(' '),
          )
        const found = (await violationsOf(caller, check)).map(
          ({ subject_id, project_id, since, until }) =>
            [subject_id, project_id, stepOf(since), until === null ? '' : stepOf(until)].join(' '),
        )
        assert.deepEqual(found.toSorted(), expected.toSorted(), `${caller.name} ${check.name}`)
        compared += found.length
      }
    }
    assert.ok(compared > steps, `${compared} compared`)

    // The whole query finds the same.
    const stored = () =>
      platform.database.db
        .selectFrom('check_violations')
        .selectAll()
        .where(
          'check_id',
          'in',
          checks.map(({ id }) => id),
        )
        .orderBy('id')
        .execute()
    const before = await stored()
    await platform.database.commit([
      platform.database.db.updateTable('checks').set({ evaluated_definition: '' }).compile(),
    ])
    await platform.checks.evaluateChecks()
    assert.deepEqual(await stored(), before)
  })

  test('are changes of the server, for those who see the check', async () => {
    const { admin, owner, viewer } = fleet.callers
    const project = projectAt(fleet, 0)
    const facts = {
      ...fleet.samples.facts(),
      project_id: project.id,
      status: 'running' as const,
      pending_deleted: false,
    }
    await fleet.record([facts])
    const own = await createCheck(owner, { name: 'stopped here', q: `status:ready id:${facts.id}` })
    await createCheck(admin, {
      name: 'stopped anywhere',
      q: `status:ready id:${facts.id}`,
      scope: 'system',
    })
    const evaluate = async () => {
      fleet.tick()
      await fleet.platform.checks.evaluateChecks()
    }
    await evaluate()
    await fleet.record([{ ...facts, status: 'ready' }])
    await evaluate()
    await fleet.record([facts])
    await evaluate()
    await evaluate()
    const changesFor = async (caller: InventoryCaller, check: string, scope = '') => {
      const { changes } = await caller.get<{ changes: ServerChange[] }>('getServerChanges', {
        query: `id=${facts.id}&changed=check:${check}&order=asc${scope}`,
      })
      return changes.map(({ changes: fields, kinds }) => [kinds, fields])
    }
    const [begun, ended] = [
      [null, 'violated'],
      ['violated', null],
    ]
    const toldOf = (check: string) => [
      [['check'], { [`check:${check}`]: begun }],
      [['check'], { [`check:${check}`]: ended }],
    ]
    const [here, anywhere] = ['stopped here', 'stopped anywhere']
    assert.deepEqual(await changesFor(owner, here), toldOf(here))
    assert.deepEqual(await changesFor(viewer, here), toldOf(here))
    assert.deepEqual(await changesFor(owner, anywhere), [])
    assert.deepEqual(await changesFor(admin, here, '&scope=system'), toldOf(here))
    assert.deepEqual(await changesFor(admin, anywhere, '&scope=system'), toldOf(anywhere))
    const { events } = await admin.get<{ events: { changes: unknown; action: string }[] }>(
      'listEvents',
      { query: `target_id=${own.id}&action=evaluate&order=asc` },
    )
    assert.deepEqual(
      events.map(({ changes }) => changes),
      [
        { violations_begun: [null, 1], violations_ended: [null, 0] },
        { violations_begun: [null, 0], violations_ended: [null, 1] },
      ],
    )
  })

  test('end for those who see both owners if the server moves', async () => {
    const { admin, owner, domainAdmin } = fleet.callers
    const facts = {
      ...fleet.samples.facts(),
      project_id: projectAt(fleet, 0).id,
      status: 'running' as const,
      pending_deleted: false,
    }
    await fleet.record([facts])
    const q = `status:ready id:${facts.id}`
    await createCheck(owner, { name: 'moving here', q })
    await createCheck(domainAdmin, { name: 'moving in the domain', q, scope: 'domain' })
    await createCheck(admin, { name: 'moving anywhere', q, scope: 'system' })
    const evaluate = async () => {
      fleet.tick()
      await fleet.platform.checks.evaluateChecks()
    }
    await evaluate()
    const stopped = { ...facts, status: 'ready' as const }
    await fleet.record([stopped])
    await evaluate()
    await fleet.record([{ ...stopped, project_id: projectAt(fleet, 1).id }])
    await evaluate()
    const toldTo = async (caller: InventoryCaller, scope: string) => {
      const { changes } = await caller.get<{ changes: ServerChange[] }>('getServerChanges', {
        query: `id=${facts.id}&kind=check&order=asc&limit=100&scope=${scope}`,
      })
      return changes
        .flatMap(({ changes: fields }) => Object.entries(fields))
        .filter(([key]) => key.startsWith('check:moving'))
        .map(
          ([key, [, after]]) =>
            `${key.slice('check:moving '.length)} ${(after as string | null) ?? 'ends'}`,
        )
        .toSorted()
    }
    const both = ['ends', 'violated', 'violated']
    const here = ['here ends', 'here violated']
    const inDomain = both.map((each) => `in the domain ${each}`)
    const anywhere = both.map((each) => `anywhere ${each}`)
    assert.deepEqual(await toldTo(admin, 'system'), [...anywhere, ...here, ...inDomain])
    assert.deepEqual(await toldTo(domainAdmin, 'domain'), [...here, ...inDomain])
    assert.deepEqual(await toldTo(owner, 'project'), ['here violated'])
    assert.deepEqual(await toldTo(neighbour, 'project'), [])
    // Nor are they told by appearing or being gone twice.
    const kindsFor = async (caller: InventoryCaller) => {
      const { changes } = await caller.get<{ changes: ServerChange[] }>('getServerChanges', {
        query: `id=${facts.id}&order=asc&scope=project`,
      })
      return changes.map(({ kinds }) => kinds.join(' ')).filter((kind) => kind !== 'check')
    }
    assert.deepEqual(await kindsFor(neighbour), ['appeared'])
    assert.deepEqual(await kindsFor(owner), ['appeared', 'status', 'gone'])
  })
})
