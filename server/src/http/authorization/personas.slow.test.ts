import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type OperationId } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import type { ClientResponse } from '../../testing/client.ts'
import { inventoryKinds } from '../../domain/inventory/kinds.ts'
import { isNightly, onPostgresFirst } from '../../testing/lanes.ts'
import { itemsOf } from '../../testing/list-items.ts'
import { cloudpodsRequests } from '../../testing/platform-world/cloudpods-requests.ts'
import { requests } from '../../testing/platform-world/persona-requests.ts'
import type { Row, Spot } from '../../testing/platform-world/persona-rows.ts'
import { personaTable, rowsOf } from '../../testing/platform-world/persona-table.ts'
import {
  nonexistentResources,
  type Resources,
} from '../../testing/platform-world/persona-resources.ts'
import {
  operationOf,
  personaNames,
  type PlatformWorld,
  type Persona,
  startPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { changedTables, type TakeSnapshot } from '../../testing/platform-world/snapshots.ts'
import type { TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const ids = operations.map(({ id }) => id)

/** The tables that record a denied request. */
const tales = new Set(['events', 'login_attempts', 'login_origins'])

const places: Readonly<Record<Spot, string>> = {
  home: 'at home',
  otherProject: 'in another project of the domain',
  otherDomain: 'in another domain',
  self: "of the caller's own",
}

describe('the persona table', () => {
  test('SEC-12: has an entry for every operation and no others', () => {
    assert.deepEqual(Object.keys(personaTable).sort(), [...ids].sort())
    for (const id of ids) assert.ok(rowsOf(id).length > 0, id)
  })
})

onPostgresFirst('the persona table', (engine) => {
  // Permissions do not depend on the engine: where SQLite runs too, one row shows that PostgreSQL applies them.
  const isShort = isNightly && engine === 'postgres'
  const isWhole = isNightly && engine === 'sqlite'
  let platform: TestPlatform
  let organisation: PlatformWorld
  let takeSnapshot: TakeSnapshot
  before(async () => {
    ;({ platform, organisation, takeSnapshot } = await startPlatformWorld(engine))
  })
  after(() => platform.close())

  /** Resources are recreated only when they are used up. */
  const store = new Map<string, Resources>()
  const shelf = (spot: Spot, { name }: Persona) => (spot === 'self' ? name : spot)
  async function resourcesAt(spot: Spot, persona: Persona): Promise<Resources> {
    const place = shelf(spot, persona)
    const resources =
      store.get(place) ??
      (spot === 'self'
        ? await organisation.addThingsFor(persona)
        : await organisation.addResources(spot))
    store.set(place, resources)
    return resources
  }

  /** The status of an operation on unknown ids, the same for everyone. */
  const voids = new Map<string, Promise<ReturnType<typeof comparableParts>>>()
  function askForNothing(id: OperationId, resources: Resources, token: string | undefined) {
    const found =
      voids.get(id) ??
      organisation
        .call(id, { resources: nonexistentResources(resources), token })
        .then((each) => comparableParts(each))
    voids.set(id, found)
    return found
  }

  /** The outcome in the words of the table, or the status if it has none. */
  async function judge(
    id: OperationId,
    { token }: Persona,
    resources: Resources,
    answer: ClientResponse,
  ): Promise<string> {
    const isSuccess = answer.status < 400 && answer.status in operationOf(id).responses
    if (answer.status === 401) return 'unauthenticated'
    if (answer.status === 403) return 'forbidden'
    if (answer.status === 409) return 'conflict'
    if (answer.status === 404 || answer.status === 400) {
      const nothing = await askForNothing(id, resources, token)
      assert.deepEqual(comparableParts(answer), nothing, 'SEC-62: as if it never was')
      return answer.status === 404 ? 'notFound' : 'badRequest'
    }
    if (!isSuccess) return String(answer.status)
    const shown = requests[id].shows?.(resources)
    if (shown === undefined) return 'allowed'
    const items = itemsOf(answer)
    if (items.length === 0) return 'notListed'
    return JSON.stringify(items).includes(shown) ? 'allowed' : 'others'
  }

  async function tryOut(id: OperationId, persona: Persona, resources: Resources): Promise<string> {
    const answer = await organisation.call(id, { resources, token: persona.token })
    return await judge(id, persona, resources, answer)
  }

  /** Runs an allowed operation and checks which tables it changes. */
  async function carryOut(
    id: OperationId,
    spot: Spot,
    persona: Persona,
    isFirst: boolean,
  ): Promise<string> {
    const { changes = [], isFinal = false } = requests[id]
    const watched = isFirst ? undefined : ([...changes, 'batch_refusals'] as const)
    // A new password ends every token, so it needs a user of its own.
    // A confirmed factor is asked for in all sessions of its user.
    const isOfUser = id === 'changeOwnPassword' || id === 'confirmFactor'
    const actor = isOfUser ? await organisation.addPersona(persona.name) : persona
    const resources = await (actor === persona
      ? resourcesAt(spot, persona)
      : organisation.addThingsFor(actor))
    const earlier = await takeSnapshot(watched)
    const answer = await organisation.call(id, { resources, token: actor.token, isDone: true })
    // Deleting an account also removes resources that no account sees: leftovers of other operations.
    const leftovers: readonly string[] =
      id === 'deleteCloudAccount' ? [...inventoryKinds, 'resource_changes'] : []
    const changed = changedTables(earlier, await takeSnapshot(watched))
      .filter((table) => !leftovers.includes(table))
      // What the persona cannot see is stored with the batch instead of as a task.
      .map((table) => (table === 'batch_refusals' ? 'tasks' : table))
      .toSorted()
    const outcome = await judge(id, actor, resources, answer)
    if (isFinal) {
      store.delete(shelf(spot, persona))
      await organisation.removeThings(resources)
    }
    if (outcome === 'allowed')
      assert.deepEqual(changed, changes.toSorted(), `done by ${persona.name}`)
    return outcome
  }

  let rows = 0
  async function actualOutcomes(id: OperationId, spot: Spot, expected: Row): Promise<string[]> {
    const isChange = requests[id].changes !== undefined
    const isDone = ({ name }: Persona) => isChange && expected[name] === 'allowed'
    const outcomes = new Map<string, string>()

    const scenes: { persona: Persona; resources: Resources }[] = []
    for (const persona of organisation.personas.filter((each) => !isDone(each))) {
      scenes.push({ persona, resources: await resourcesAt(spot, persona) })
    }
    const watched = isChange ? undefined : (['identity_version'] as const)
    const earlier = await takeSnapshot(watched)
    await Promise.all(
      scenes.map(async ({ persona, resources }) => {
        outcomes.set(persona.name, await tryOut(id, persona, resources))
      }),
    )
    const changed = changedTables(earlier, await takeSnapshot(watched))
    assert.deepEqual(
      changed.filter((table) => !tales.has(table)),
      [],
      'SEC-11: who is refused, or only looks, changes nothing',
    )
    const doers = organisation.personas.filter(isDone)
    // Every persona tries what it may not do. What several may do is done by all at night, else by one of them.
    rows += 1
    const chosen = isWhole ? doers : doers.slice(rows % (doers.length || 1)).slice(0, 1)
    for (const persona of doers) outcomes.set(persona.name, 'allowed')
    for (const [index, persona] of chosen.entries()) {
      outcomes.set(persona.name, await carryOut(id, spot, persona, index === 0))
    }
    return personaNames.map((name) => `${outcomes.get(name)} ${name}`)
  }

  /** Outside of the nightly lane every second place, beginning with another one at each operation. */
  function sampleRows(id: OperationId, index: number) {
    const all = rowsOf(id)
    if (isShort) return all.slice(0, 1)
    return isWhole || all.length === 1 ? all : all.filter((_, at) => (at + index) % 2 === 0)
  }

  for (const [index, id] of ids.entries()) {
    for (const [spot, expected] of sampleRows(id, index)) {
      test(`SEC-12, SEC-11, SEC-62: ${id} on a resource ${places[spot]}`, async () => {
        const outcomes = personaNames.map((name) => `${expected[name]} ${name}`)
        assert.deepEqual(await actualOutcomes(id, spot, expected), outcomes)
      })
    }
  }

  test('a denied operation of Cloudpods is recorded with the action of a successful one', async () => {
    const recorded = async (token: string | undefined, id: OperationId, resources: Resources) => {
      const { status, headers } = await organisation.call(id, { resources, token, isDone: true })
      const { action, result } = await platform.database.db
        .selectFrom('events')
        .select(['action', 'result'])
        .where('request_id', '=', headers.get('x-request-id'))
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      return { action, result, isAllowed: status < 400 }
    }
    const viewer = await organisation.addPersona('viewer')
    const { token: adminToken } = organisation.persona('admin')
    // Enabling changes only what was disabled.
    const first: Partial<Record<OperationId, OperationId>> = {
      enableUser: 'disableUser',
      enableCloudAccount: 'disableCloudAccount',
    }
    const writes = Object.keys(cloudpodsRequests)
      .map((id) => id as OperationId)
      .filter((id) => operationOf(id).method !== 'GET')
    for (const id of writes) {
      const resources = await organisation.addResources('home')
      const before = first[id]
      if (before) await organisation.call(before, { resources, token: adminToken, isDone: true })
      const denied = await recorded(viewer.token, id, resources)
      const done = await recorded(adminToken, id, resources)
      assert.deepEqual(denied, { action: done.action, result: 'denied', isAllowed: false }, id)
      assert.deepEqual([done.result, done.isAllowed], ['success', true], id)
      await organisation.removeThings(resources)
    }
  })

  test('SEC-62: related resources of another domain are not shown', async () => {
    const { db } = platform.database
    const near = await organisation.addResources('home')
    const far = await organisation.addResources('otherDomain')
    await platform.database.commitIdentity([
      db
        .insertInto('group_members')
        .values([
          { group_id: near.groupId, user_id: far.userId },
          { group_id: far.groupId, user_id: near.userId },
        ])
        .compile(),
      db
        .insertInto('assignments')
        .values({
          id: newId(),
          role_id: near.projectRoleId,
          user_id: near.userId,
          project_id: far.projectId,
        })
        .compile(),
    ])
    for (const name of ['domainViewer', 'domainAdmin', 'admin'] as const) {
      const { token } = organisation.persona(name)
      const list = async (id: OperationId) =>
        JSON.stringify(itemsOf(await organisation.call(id, { resources: near, token })))
      for (const [id, shown, hidden] of [
        ['listUserProjects', near.projectId, far.projectId],
        ['listUserGroups', near.groupId, far.groupId],
        ['listGroupUsers', near.userId, far.userId],
      ] as const) {
        const items = await list(id)
        assert.ok(items.includes(shown), `${name}: ${id}`)
        assert.equal(items.includes(hidden), name === 'admin', `${name}: ${id}`)
      }
    }
  })
})
