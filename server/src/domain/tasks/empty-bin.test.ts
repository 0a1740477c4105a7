import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import type { StoredServer } from '../inventory/ports.ts'
import type { Account } from '../sources/account.ts'
import type { ActionSupport } from '../sources/action-port.ts'
import type { SightingStore } from '../sources/ports.ts'
import { timestamp } from '../timestamp.ts'
import { createEmptyBin } from './empty-bin.ts'
import type { BinEntry, TaskStore } from './ports.ts'
import type { TaskRecord } from './task.ts'

const week = 604_800_000
const hour = 3_600_000
const start = Date.UTC(2027, 0, 1)

/** Servers whose time in the recycle bin is over. */
function createBin(count: number, changes: Partial<Server> = {}) {
  let now = start
  const due = start - 1_000
  const account = {
    id: 'account',
    name: 'lab',
    access: 'manage',
    enabled: true,
    isBeingDeleted: false,
  } as Account
  const support = {
    actions: ['delete'],
    deletes: { disks: true, snapshots: true, running: true },
  } as unknown as ActionSupport
  const stored = new Map<string, StoredServer>()
  const entries = new Map<string, BinEntry>()
  for (let number = 0; number < count; number += 1) {
    const id = `server-${number}`
    const server = {
      id,
      name: id,
      status: 'ready',
      account_id: account.id,
      pending_deleted: true,
      auto_delete_at: timestamp(due),
      deleted: false,
      disable_delete: false,
      scaling_group_id: '',
      metadata: {},
      ...changes,
    } as Server
    stored.set(id, { id, seq: number, revision: 1, factsDigest: '', server })
    entries.set(id, {
      server_id: id,
      account_id: account.id,
      delete_disks: false,
      delete_snapshots: false,
      auto_delete_at: due,
    })
  }
  const accepted: TaskRecord[] = []
  const unbinned: string[] = []
  const warned: { name: string; reason: string }[][] = []
  const missed = new Map<string, number>()
  const tasks = {
    accept: (given: Parameters<TaskStore['accept']>[0]) => {
      accepted.push(...given.tasks)
      for (const { server_id } of given.tasks) entries.delete(server_id)
      return Promise.resolve(true)
    },
    find: (id: string) => Promise.resolve(accepted.find((task) => task.id === id)),
    binEntry: (id: string) => Promise.resolve(entries.get(id)),
    dueEntries: () =>
      Promise.resolve([...entries.values()].filter(({ auto_delete_at }) => auto_delete_at <= now)),
    write: (given: Parameters<TaskStore['write']>[0]) => {
      unbinned.push(...(given.unbinned ?? []))
      if (given.binned) entries.set(given.binned.server_id, given.binned)
      return Promise.resolve(true)
    },
  } as unknown as TaskStore
  const emptyBin = createEmptyBin({
    tasks,
    serverWriter: { findStored: () => Promise.resolve(stored) },
    sightings: {
      of: (_: string, ids: readonly string[]) =>
        Promise.resolve(new Map(ids.map((id) => [id, { missed: missed.get(id) ?? 0 }]))),
    } as unknown as SightingStore,
    loadSituations: (some) =>
      Promise.resolve(
        new Map(
          some.map(({ id, server }) => [
            id,
            {
              server,
              attached: { account, sync: {} } as never,
              support,
              task: undefined,
              isMissing: false,
            },
          ]),
        ),
      ),
    recycleFor: week,
    clock: () => now,
  })
  return {
    stored,
    entries,
    accepted,
    unbinned,
    warned,
    missed,
    later: (time: number) => (now += time),
    empty: (hasScanned = true) =>
      emptyBin(account, {
        hasScanned: () => hasScanned,
        warnRecycled: (servers) => {
          warned.push(servers.map(({ name, reason }) => ({ name, reason })))
          return Promise.resolve()
        },
      }),
  }
}

describe('the recycle bin', () => {
  test('deletes nothing before a complete scan by this process', async () => {
    const bin = createBin(1)
    assert.equal(await bin.empty(false), 0)
    assert.deepEqual(bin.accepted, [])
    assert.equal(await bin.empty(), 1)
    assert.deepEqual(
      bin.accepted.map(({ action, user, params }) => [
        action,
        user,
        params['override_pending_delete'],
      ]),
      [['delete', 'Muster', true]],
    )
  })

  test('tells of a protected server in words for people', async () => {
    const bin = createBin(1)
    const [id, one] = [...bin.stored][0] ?? []
    assert.ok(id !== undefined && one)
    bin.stored.set(id, { ...one, server: { ...one.server, disable_delete: true } })
    assert.equal(await bin.empty(), 0)
    assert.deepEqual(
      bin.warned.at(-1)?.map(({ reason }) => reason),
      ['It is protected against deletion.'],
    )
  })

  test('keeps a server that the last complete scan did not find', async () => {
    const bin = createBin(1)
    bin.missed.set('server-0', 1)
    assert.equal(await bin.empty(), 0)
    assert.match(bin.warned[0]?.[0]?.reason ?? '', /did not find it/)
  })

  for (const status of ['running', 'suspend', 'unknown']) {
    test(`keeps a server that is ${status}`, async () => {
      const bin = createBin(1, { status })
      assert.equal(await bin.empty(), 0)
      assert.deepEqual(bin.accepted, [])
      assert.equal(bin.warned[0]?.length, 1)
    })
  }

  test('forgets an entry that is no longer that of the server', async () => {
    const bin = createBin(1, { auto_delete_at: timestamp(start + week) })
    assert.equal(await bin.empty(), 0)
    assert.deepEqual([bin.accepted, bin.unbinned], [[], ['server-0']])
  })

  test('deletes ten servers of an account in a minute', async () => {
    const bin = createBin(15)
    assert.equal(await bin.empty(), 10)
    bin.later(30_000)
    assert.equal(await bin.empty(), 0)
    bin.later(31_000)
    assert.equal(await bin.empty(), 5)
  })

  test('warns about a deletion that failed', async () => {
    const bin = createBin(1)
    const entry = bin.entries.get('server-0') as BinEntry
    await bin.empty()
    const [task] = bin.accepted
    assert.ok(task)
    Object.assign(task, { status: 'failed', error: 'The source refuses it.' })
    // The end of the task has postponed it.
    bin.entries.set('server-0', { ...entry, auto_delete_at: start + hour })
    assert.equal(await bin.empty(), 0)
    assert.deepEqual(bin.warned.at(-1), [{ name: 'server-0', reason: 'The source refuses it.' }])
  })
})
