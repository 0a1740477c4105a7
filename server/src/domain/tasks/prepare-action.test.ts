import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Server, ServerAction, TaskParameters } from '@muster/contract'
import { defaultServer } from '../inventory/build-server.ts'
import { isProtectedBy, ownNotesOf, withProtection } from '../inventory/own-fields.ts'
import type { AttachedAccount } from '../sources/account.ts'
import { sourceActions, type ActionSupport } from '../sources/action-port.ts'
import { timestamp } from '../timestamp.ts'
import type { Situation } from './decide-action.ts'
import { prepareAction, readParameters } from './prepare-action.ts'

const now = Date.UTC(2027, 0, 1)

const situationOf = (changes: Partial<Server>, isMissing = false): Situation => ({
  server: { ...defaultServer, id: 'server', name: 'web', status: 'ready', ...changes },
  attached: {
    account: { name: 'lab', access: 'manage', enabled: true, isBeingDeleted: false },
    sync: { is_unreachable: false, warnings: [] },
  } as unknown as AttachedAccount,
  support: {
    actions: sourceActions,
    updates: ['name', 'disable_delete'],
  } as unknown as ActionSupport,
  task: undefined,
  isMissing,
})

const prepare = (action: ServerAction, params: TaskParameters, situation: Situation) =>
  prepareAction(action, params, situation, now)

describe('an update', () => {
  const protectedBy = (muster: boolean, source: boolean) =>
    withProtection(situationOf({}).server, { muster, source })

  test('of the description is done at once, and told as written in Muster', () => {
    const prepared = prepare('update', { description: 'mine' }, situationOf({}))
    assert.ok(prepared.kind === 'done')
    assert.equal(prepared.server.description, 'mine')
    assert.equal(ownNotesOf(prepared.server).described_by, 'muster')
    assert.equal(prepared.leavesBin, undefined)
  })

  test('to what is there changes nothing', () => {
    const server = { description: 'mine' }
    const same = { name: 'web', description: 'mine', disable_delete: false }
    assert.equal(prepare('update', same, situationOf(server)).kind, 'already')
    assert.equal(prepare('update', {}, situationOf(server)).kind, 'already')
  })

  test('of a deleted server is refused', () => {
    const deleted = situationOf({ deleted: true })
    for (const params of [{ description: 'mine' }, { name: 'b' }, {}]) {
      assert.equal(prepare('update', params, deleted).kind, 'refused')
    }
  })

  for (const muster of [false, true]) {
    for (const source of [false, true]) {
      for (const disable_delete of [false, true]) {
        test(`protects: ${disable_delete}, before by Muster: ${muster}, by the source: ${source}`, () => {
          const situation = { ...situationOf({}), server: protectedBy(muster, source) }
          const prepared = prepare('update', { disable_delete }, situation)
          // Only the source can clear its own protection.
          const needsSource = source && !disable_delete
          const isSame = muster === disable_delete
          const kind = needsSource ? 'task' : isSame ? 'already' : 'done'
          assert.equal(prepared.kind, kind)
          if (prepared.kind === 'task') assert.deepEqual(prepared.params, { disable_delete: false })
          if (!('server' in prepared)) return
          assert.equal(isProtectedBy(prepared.server, 'muster'), disable_delete)
          assert.equal(isProtectedBy(prepared.server, 'source'), source)
          assert.equal(prepared.server.disable_delete, disable_delete || source)
        })
      }
    }
  }

  test('of the name is a task, with what Muster changes by itself', () => {
    const params = { name: 'b', description: 'mine', disable_delete: true }
    const prepared = prepare('update', params, situationOf({}))
    assert.ok(prepared.kind === 'task')
    assert.deepEqual(prepared.params, { name: 'b' })
    assert.deepEqual([prepared.server.name, prepared.server.description], ['web', 'mine'])
  })

  test('that the source cannot make is refused', () => {
    assert.equal(prepare('update', { boot_order: 'n' }, situationOf({})).kind, 'refused')
  })
})

describe('without the source', () => {
  const times = { pending_deleted_at: timestamp(1), auto_delete_at: timestamp(2) }
  const binned = { pending_deleted: true, ...times }
  const outOfBin = { pending_deleted: false, pending_deleted_at: null, auto_delete_at: null }
  const fieldsOf = ({ pending_deleted, pending_deleted_at, auto_delete_at }: Server) => ({
    pending_deleted,
    pending_deleted_at,
    auto_delete_at,
  })

  test('a server leaves the recycle bin', () => {
    const prepared = prepare('cancel-delete', {}, situationOf(binned))
    assert.ok(prepared.kind === 'done' && prepared.leavesBin)
    assert.deepEqual(fieldsOf(prepared.server), outOfBin)
    assert.equal(prepared.server.deleted, false)
    assert.equal(prepare('cancel-delete', {}, situationOf({})).kind, 'refused')
  })

  test('a server that the source does not have is purged, with what users wrote', () => {
    const written = { ...binned, metadata: { 'user:team': 'a', 'sys:described_by': 'muster' } }
    const prepared = prepare('purge', {}, situationOf({ ...written, description: 'mine' }, true))
    assert.ok(prepared.kind === 'done' && prepared.leavesBin)
    const { server } = prepared
    assert.deepEqual(fieldsOf(server), outOfBin)
    assert.deepEqual(
      [server.deleted, server.deleted_at, server.status, server.description, server.metadata],
      [true, timestamp(now), 'unknown', '', {}],
    )
    assert.equal(prepare('purge', {}, situationOf(binned)).kind, 'refused')
  })
})

test('the parameters of an action are those that it knows, in our units', () => {
  assert.deepEqual(
    readParameters('change-config', { vcpu_count: 2, vmem_size: '2G', other: 1, auto_start: true }),
    { vcpu_count: 2, vmem_size: 2_048 },
  )
  assert.deepEqual(readParameters('change-config', { vmem_size: 512 }), { vmem_size: 512 })
  assert.deepEqual(readParameters('start', { vcpu_count: 2 }), {})
})
