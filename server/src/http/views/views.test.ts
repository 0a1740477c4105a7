import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { maxViewsPerUser, type EventDto, type NewView, type SavedView } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { createContractClient } from '../../testing/contract-client.ts'
import { nextIn, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

interface Page {
  readonly views: readonly SavedView[]
  readonly limit: number
  readonly offset: number
  readonly total: number
}
type ViewFields = Partial<NewView>
type Caller = Pick<InventoryCaller, 'get' | 'call' | 'fail'>

onEngineOfLane('saved views', (engine) => {
  let fleet: InventoryWorld
  let editor: InventoryCaller
  /** Callers of another project of the same domain and of another domain. */
  let neighbour: InventoryCaller
  let stranger: InventoryCaller
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    editor = await fleet.addCaller('project_editor', projectAt(fleet, 0))
    neighbour = await fleet.addCaller('project_owner', projectAt(fleet, 1))
    stranger = await fleet.addCaller('project_owner', projectAt(fleet, 3))
  })
  after(() => fleet.platform.close())

  async function save(caller: Caller, fields: ViewFields = {}): Promise<SavedView> {
    const body = { view: { name: `view ${newId()}`, ...fields } }
    return (await caller.get<{ view: SavedView }>('createView', { body })).view
  }
  const at = (id: string) => ({ path: { id } })
  const show = async (caller: Caller, id: string) =>
    (await caller.get<{ view: SavedView }>('getView', at(id))).view
  const update = async (caller: Caller, id: string, view: ViewFields) =>
    (await caller.get<{ view: SavedView }>('updateView', { ...at(id), body: { view } })).view
  const remove = (caller: Caller, id: string) => caller.get('deleteView', at(id))
  const list = (caller: Caller, query = '') => caller.get<Page>('listViews', { query })
  const idsOf = ({ views }: Page) => views.map(({ id }) => id)
  const cannotShare = (caller: Caller) =>
    caller.fail('ForbiddenError', 'createView', {
      body: { view: { name: newId(), sharing: 'project' } },
    })

  test('are created with the given values and defaults for the rest', async () => {
    const { viewer } = fleet.callers
    const project_id = projectAt(fleet, 0).id
    const { id, user, created_at, updated_at, ...rest } = await save(viewer, { name: 'Mine' })
    assert.deepEqual(rest, {
      name: 'Mine',
      resource: 'servers',
      q: '',
      columns: [],
      order_by: [],
      order: 'desc',
      group_by: '',
      scope: '',
      sharing: 'private',
      user_id: viewer.userId,
      project_id,
    })
    assert.match(user, /^project_viewer /)
    assert.equal(created_at, updated_at)
    const whole: ViewFields = {
      q: 'status:running vcpu>=8',
      columns: ['name', 'metadata.env'],
      order_by: ['vcpu_count', 'name'],
      order: 'asc',
      group_by: 'metadata.env',
      scope: 'max',
    }
    fleet.tick()
    const changed = await update(viewer, id, whole)
    assert.deepEqual(changed, {
      ...rest,
      ...whole,
      id,
      user,
      created_at,
      updated_at: changed.updated_at,
    })
    assert.ok(changed.updated_at > updated_at)
    assert.deepEqual(await show(viewer, id), changed)
    // The list accepts the query of the view.
    await viewer.get('listServers', { query: new URLSearchParams({ q: changed.q }).toString() })
    await remove(viewer, id)
    await viewer.fail('ResourceNotFoundError', 'getView', at(id))
  })

  test('private views are 404 for everyone else, in every role', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    const { id, name } = await save(viewer, { q: 'web' })
    for (const caller of [owner, editor, domainAdmin, auditor, admin, stranger]) {
      const body = { view: { q: 'x' } }
      for (const [operation, details] of [
        ['getView', {}],
        ['updateView', { body }],
        ['deleteView', {}],
      ] as const) {
        const answer = await caller.call(operation, { ...at(id), ...details })
        const never = await caller.call(operation, { ...at(newId()), ...details })
        assert.equal(answer.status, 404, `${caller.name} ${operation}`)
        assert.deepEqual(comparableParts(answer), comparableParts(never))
      }
      assert.equal((await list(caller, `name=${encodeURIComponent(name)}`)).total, 0)
      assert.equal((await list(caller, `user_id=${viewer.userId}`)).total, 0)
    }
    assert.equal((await show(viewer, id)).q, 'web')
  })

  test('shared views are visible with a token for the project', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    const { id } = await save(editor, { sharing: 'project' })
    for (const caller of [owner, viewer, editor]) {
      assert.ok(idsOf(await list(caller, 'limit=2048')).includes(id), caller.name)
      assert.equal((await show(caller, id)).user_id, editor.userId)
    }
    for (const caller of [neighbour, stranger]) {
      assert.ok(!idsOf(await list(caller, 'limit=2048')).includes(id), caller.name)
      await caller.fail('ResourceNotFoundError', 'getView', at(id))
      await caller.fail('ResourceNotFoundError', 'deleteView', at(id))
    }
    // A domain administrator can read it, but it is not listed.
    for (const caller of [domainAdmin, auditor, admin]) {
      assert.ok(!idsOf(await list(caller, 'limit=2048')).includes(id), caller.name)
      await show(caller, id)
    }
    const body = { view: { q: 'x' } }
    for (const caller of [owner, viewer, domainAdmin, admin]) {
      await caller.fail('ForbiddenError', 'updateView', { ...at(id), body })
    }
    await viewer.fail('ForbiddenError', 'deleteView', at(id))
    await auditor.fail('ForbiddenError', 'deleteView', at(id))
    await remove(owner, id)
    await editor.fail('ResourceNotFoundError', 'getView', at(id))
    // No longer shared, no longer visible.
    const other = await save(editor, { sharing: 'project' })
    await update(editor, other.id, { sharing: 'private' })
    await admin.fail('ResourceNotFoundError', 'deleteView', at(other.id))
  })

  test('sharing a view and changing a shared view require permission', async () => {
    const { viewer, domainAdmin, auditor } = fleet.callers
    await cannotShare(viewer)
    await cannotShare(auditor)
    const own = await save(viewer)
    const sharing = { view: { sharing: 'project' } }
    await viewer.fail('ForbiddenError', 'updateView', { ...at(own.id), body: sharing })
    const { fields } = await domainAdmin.fail('InputParameterError', 'createView', {
      body: { view: { name: newId(), sharing: 'project' } },
    })
    assert.equal(fields?.[0]?.path, 'view.sharing')
    assert.equal((await save(domainAdmin)).project_id, '')

    // A former editor, now viewer, can make it private but not change it.
    const { identities, platform } = fleet
    const { id: projectId, domainId } = projectAt(fleet, 0)
    const user = { name: `demoted ${newId()}`, domainId }
    const userId = await identities.addUser(user)
    await identities.assign({ role: 'project_editor', userId, projectId })
    const scope = { kind: 'project', id: projectId } as const
    const token = await insertToken(platform.database, { userId, scope })
    const demoted = createContractClient(platform.url, token)
    const { id } = await save(demoted, { sharing: 'project' })
    await identities.change(
      platform.database.db.deleteFrom('assignments').where('user_id', '=', userId).compile(),
    )
    await identities.assign({ role: 'project_viewer', userId, projectId })
    await demoted.fail('ForbiddenError', 'updateView', { ...at(id), body: { view: { q: 'x' } } })
    await update(demoted, id, { sharing: 'private' })
    await remove(demoted, id)
  })

  test('creation requires a scoped token, reading does not', async () => {
    const { database, url } = fleet.platform
    const { viewer } = fleet.callers
    const token = await insertToken(database, { userId: viewer.userId })
    const unscoped = createContractClient(url, token)
    const { id } = await save(viewer)
    assert.equal((await show(unscoped, id)).id, id)
    const shared = await save(editor, { sharing: 'project' })
    assert.ok(!idsOf(await list(unscoped, 'limit=2048')).includes(shared.id))
    await unscoped.fail('ForbiddenError', 'createView', { body: { view: { name: newId() } } })
  })

  test('names are unique per user and project, in any spelling', async () => {
    const { viewer } = fleet.callers
    const name = `Big ${newId()}`
    const first = await save(viewer, { name })
    const { fields } = await viewer.fail('DuplicateNameError', 'createView', {
      body: { view: { name: name.toUpperCase() } },
    })
    assert.deepEqual(fields, [{ path: 'view.name', problem: 'is already in use' }])
    const second = await save(viewer)
    const body = { view: { name } }
    await viewer.fail('DuplicateNameError', 'updateView', { ...at(second.id), body })
    await save(editor, { name })
    await update(viewer, first.id, { name: name.toLowerCase() })
    // Names of views made with a domain token are separate.
    await save(fleet.callers.domainAdmin, { name })
    const again = { body: { view: { name } } }
    await fleet.callers.domainAdmin.fail('DuplicateNameError', 'createView', again)
  })

  test('are validated like the list, and the invalid field is named', async () => {
    const { viewer } = fleet.callers
    const kept = await save(viewer)
    for (const [fields, path] of [
      [{ q: 'colour:red' }, 'view.q'],
      [{ q: 'x'.repeat(2049) }, 'view.q'],
      [{ columns: ['colour'] }, 'view.columns'],
      [{ order_by: ['can_update'] }, 'view.order_by'],
      [{ order_by: Array.from({ length: 17 }, () => 'name') }, 'view.order_by'],
      [{ name: 'x'.repeat(129) }, 'view.name'],
      [{ name: ' x' }, 'view.name'],
      [{ scope: 'everything' }, 'view.scope'],
      [{ sharing: 'domain' }, 'view.sharing'],
      [{ user_id: viewer.userId }, 'view.user_id'],
    ] as [ViewFields, string][]) {
      const view = { name: newId(), ...fields }
      const made = await viewer.fail('InputParameterError', 'createView', { body: { view } })
      assert.equal(made.fields?.[0]?.path, path)
      const changes = { ...at(kept.id), body: { view: fields } }
      const changed = await viewer.fail('InputParameterError', 'updateView', changes)
      assert.equal(changed.fields?.[0]?.path, path)
    }
    await viewer.fail('InputParameterError', 'updateView', { ...at(kept.id), body: { view: {} } })
    assert.deepEqual(await show(viewer, kept.id), kept)
  })

  test('can be paged, sorted and filtered', async () => {
    const caller = await fleet.addCaller('project_editor', projectAt(fleet, 2))
    const other = await fleet.addCaller('project_editor', projectAt(fleet, 2))
    const names = ['b', 'C', 'a']
    const made: SavedView[] = []
    for (const name of names) {
      fleet.tick()
      made.push(await save(caller, { name }))
    }
    fleet.tick()
    const shared = await save(other, { name: 'd', sharing: 'project' })
    await save(other, { name: 'e' })
    const namesIn = async (query: string) =>
      (await list(caller, query)).views.map(({ name }) => name).join(' ')
    assert.equal(await namesIn(''), 'd a C b')
    assert.equal(await namesIn('order_by=name&order=asc'), 'C a b d')
    assert.equal(await namesIn('order=asc&limit=2&offset=1'), 'C a')
    assert.equal(await namesIn('sharing=project'), 'd')
    assert.equal(await namesIn(`user_id=${caller.userId}`), 'a C b')
    assert.equal(await namesIn(`project_id=${projectAt(fleet, 0).id}`), '')
    assert.equal(await namesIn('name=c'), 'C')
    fleet.tick()
    await update(caller, made[0]?.id ?? '', { q: 'web' })
    assert.equal(await namesIn('order_by=updated_at&limit=1'), 'b')

    const page = await caller.call<Page>('listViews', { query: 'limit=3' })
    assert.deepEqual([page.body.limit, page.body.offset, page.body.total], [3, 0, 4])
    assert.match(nextIn(page.headers) ?? '', /\/views\?limit=3&marker=/)
    const last = await caller.call<Page>('listViews', { query: 'limit=3&offset=3' })
    assert.equal(last.headers.get('link'), null)
    assert.equal((await list(caller, 'limit=0')).total, 4)
    assert.equal((await list(caller, 'limit=9999')).limit, 2048)
    assert.ok(shared.id)
  })

  test('are limited per user, also under concurrent creation', async () => {
    const caller = await fleet.addCaller('project_viewer', projectAt(fleet, 2))
    const { db } = fleet.platform.database
    const { id: _id, ...row } = await db
      .selectFrom('views')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: maxViewsPerUser - 2 }, (_, index) => {
      const name = `full ${index}`
      return { ...row, id: newId(), name, name_key: name, user_id: caller.userId }
    })
    await fleet.platform.database.commit([db.insertInto('views').values(rows).compile()])
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        caller.call('createView', { body: { view: { name: newId() } } }),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, 201, 409, 409, 409, 409, 409, 409])
    const { views, total } = await list(caller, `user_id=${caller.userId}&limit=1`)
    assert.equal(total, maxViewsPerUser)
    await remove(caller, views[0]?.id ?? '')
    await save(caller)
  })

  test('concurrent changes are all stored', async () => {
    const { viewer } = fleet.callers
    const { id } = await save(viewer)
    await Promise.all([
      update(viewer, id, { q: 'web' }),
      update(viewer, id, { columns: ['name'] }),
      update(viewer, id, { order_by: ['name'] }),
    ])
    const { q, columns, order_by } = await show(viewer, id)
    assert.deepEqual([q, columns, order_by], ['web', ['name'], ['name']])
  })

  test('are deleted with their owner and with their project', async () => {
    const { database } = fleet.platform
    const { admin } = fleet.callers
    const project = { id: await fleet.identities.addProject('short', projectAt(fleet, 0).domainId) }
    const place = { ...projectAt(fleet, 0), id: project.id }
    const leaver = await fleet.addCaller('project_owner', place)
    const stayer = await fleet.addCaller('project_owner', place)
    await save(leaver, { sharing: 'project' })
    const { id: stays } = await save(stayer)
    const left = async (column: 'user_id' | 'project_id', id: string) =>
      (await database.db.selectFrom('views').select('id').where(column, '=', id).execute()).map(
        (row) => row.id,
      )
    await admin.get('deleteUser', at(leaver.userId))
    assert.deepEqual(await left('user_id', leaver.userId), [])
    assert.deepEqual(await left('project_id', project.id), [stays])
    await admin.get('deleteProject', at(project.id))
    assert.deepEqual(await left('project_id', project.id), [])
  })

  test('changes are recorded in the audit log with the values before and after', async () => {
    const { admin } = fleet.callers
    const { id: project_id, domainId: domain_id } = projectAt(fleet, 0)
    const view = await save(editor, { q: 'web' })
    await update(editor, view.id, { q: 'db', sharing: 'project' })
    // A repeat is not recorded.
    await update(editor, view.id, { q: 'db' })
    await remove(fleet.callers.owner, view.id)
    const { events } = await admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_id=${view.id}`,
    })
    assert.deepEqual(
      events.map(({ action, target_type, user_id }) => [action, target_type, user_id]),
      [
        ['delete', 'view', fleet.callers.owner.userId],
        ['update', 'view', editor.userId],
        ['create', 'view', editor.userId],
      ],
    )
    assert.deepEqual(events[1]?.changes, { q: ['web', 'db'], sharing: ['private', 'project'] })
    assert.deepEqual([events[1].project_id, events[1].domain_id], [project_id, domain_id])
    assert.deepEqual(events[2]?.changes['name'], [null, view.name])
  })
})
