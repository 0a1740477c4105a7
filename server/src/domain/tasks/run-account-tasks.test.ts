import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../testing/eventually.ts'
import { defaultServer } from '../inventory/build-server.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { ownNotesOf, withOwnNotes } from '../inventory/own-fields.ts'
import type { Account, AttachedAccount } from '../sources/account.ts'
import type { RunningAccount } from '../sources/run-account.ts'
import { createTask, musterItself, showTask } from './accept-task.ts'
import type { TaskCommit, TaskStore } from './ports.ts'
import { createRunAccountTasks } from './run-account-tasks.ts'
import { isFinished, type TaskRecord } from './task.ts'

const now = Date.UTC(2027, 0, 1)

type Acceptance = Parameters<TaskStore['accept']>[0]

interface World {
  readonly account?: Partial<Account>
  readonly maxParallel?: number
  /** Tasks of the batch that other processes run. */
  readonly elsewhere?: number
  /** Errors of the storage, one after the other. */
  readonly errors?: number
}

/** Runs tasks that wait at their start until they are let go; then their server is gone. */
function createWorld(given: World, ...records: readonly TaskRecord[]) {
  const stored = new Map(records.map((task) => [task.id, task]))
  const servers = new Map<string, StoredServer>()
  const held = new Map<string, PromiseWithResolvers<void>>()
  const started: string[] = []
  const accepted: Acceptance[] = []
  const warnings: unknown[] = []
  let emptied = 0
  let time = now
  let errorsLeft = given.errors ?? 0
  const isOpen = (task: TaskRecord) => !isFinished(task) || task.isShown
  const write = ({ writes = [] }: TaskCommit) => {
    for (const { stored: before, server } of writes) {
      if (before) servers.set(server.id, { ...before, server })
    }
  }
  const tasks = {
    waitingOf: async (_id: string, _most: number, without: Iterable<string> = []) => {
      errorsLeft -= 1
      if (errorsLeft >= 0) throw new Error('the database is away')
      const left = new Set(without)
      return [...stored.values()].filter((task) => isOpen(task) && !left.has(task.id))
    },
    find: async (id: string) => stored.get(id),
    findBatch: async () => ({ max_parallel: given.maxParallel }),
    countBatches: async (ids: readonly string[]) => {
      const here = [...held.keys()].filter((id) => stored.get(id)?.batch_id !== '')
      const running = (given.elsewhere ?? 0) + here.length
      return new Map(ids.map((id) => [id, { running }]))
    },
    change: async (task: TaskRecord, changes: Partial<TaskRecord>, commit: TaskCommit) => {
      stored.set(task.id, { ...(stored.get(task.id) ?? task), ...changes })
      write(commit)
      return true
    },
    accept: async (acceptance: Acceptance) => {
      accepted.push(acceptance)
      for (const task of acceptance.tasks) stored.set(task.id, task)
      return true
    },
    binEntry: async () => undefined,
  } as unknown as TaskStore
  const run = createRunAccountTasks({
    tasks,
    serverWriter: {
      async findStored([id = '']: readonly string[]) {
        const server = servers.get(id)
        if (server) return new Map([[id, server]])
        if (!started.includes(id) && isManaged) {
          started.push(id)
          held.set(id, Promise.withResolvers())
          await held.get(id)?.promise
          held.delete(id)
        }
        return new Map()
      },
    },
    openSource: { loadKind: async () => ({ acting: {} }) } as never,
    loadSituations: async () => new Map(),
    reauthorize: async () => undefined,
    emptyBin: async () => {
      emptied += 1
      return 0
    },
    limits: { task: 900_000, call: 20_000, lease: 15_000, settle: 15_000, recycle: 604_800_000 },
    clock: () => time,
    log: { warn: (...text: unknown[]) => warnings.push(text), info: () => {} } as never,
  })
  const account = {
    id: 'account',
    name: 'lab',
    provider: 'Simulator',
    access: 'manage',
    enabled: true,
    isBeingDeleted: false,
    max_actions: 2,
    request_timeout: 20,
    revision: 1,
    ...given.account,
  } as Account
  const isManaged = account.access === 'manage'
  const start = () => run({ account } as AttachedAccount, 'runner', {} as RunningAccount)
  return {
    started,
    accepted,
    warnings,
    servers,
    start,
    emptied: () => emptied,
    advance: (milliseconds: number) => (time += milliseconds),
    task: (id: string) => stored.get(id) as TaskRecord,
    letGo: (id: string) => held.get(id)?.resolve(),
    letAllGo: () => held.forEach(({ resolve }) => resolve()),
  }
}

function newTask(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  const server = { ...defaultServer, id, account_id: 'account', status: 'ready' }
  return { ...createTask('start', {}, { server }, musterItself, now), id, ...changes }
}

/** Until all that can happen without a timer has happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
}

describe('the tasks of an account', () => {
  test('run at once, not more than the account allows, and not twice', async () => {
    const world = createWorld({}, newTask('a'), newTask('b'), newTask('c'))
    const running = world.start()
    await settle()
    assert.deepEqual(world.started, ['a', 'b'])
    running.wake()
    await settle()
    assert.deepEqual(world.started, ['a', 'b'])
    world.letGo('a')
    await settle()
    assert.deepEqual(world.started, ['a', 'b', 'c'])
    world.letAllGo()
    await running.stop()
    for (const id of ['a', 'b', 'c']) assert.equal(world.task(id).error_class, 'server_gone')
  })

  test('that were running before go on, whatever the limit', async () => {
    const changes = { status: 'running' } as const
    const ids = ['a', 'b', 'c']
    const world = createWorld({}, ...ids.map((id) => newTask(id, changes)))
    const running = world.start()
    await settle()
    assert.deepEqual(world.started, ids)
    world.letAllGo()
    await running.stop()
  })

  for (const [maxParallel, elsewhere, count] of [
    [2, 0, 2],
    [2, 1, 1],
    [2, 2, 0],
    [1, 0, 1],
  ] as const) {
    test(`of a batch for ${maxParallel} at once: ${count}, if other processes run ${elsewhere}`, async () => {
      const ids = ['a', 'b', 'c']
      const all = ids.map((id) => newTask(id, { batch_id: 'batch' }))
      const given = { account: { max_actions: 10 }, maxParallel, elsewhere }
      const world = createWorld(given, ...all, newTask('alone'))
      const running = world.start()
      await settle()
      assert.deepEqual(world.started, [...ids.slice(0, count), 'alone'])
      // A place that becomes free is used.
      world.letGo('a')
      await settle()
      if (count > 0) assert.equal(world.started.at(-1), ids[count])
      world.letAllGo()
      await settle()
      world.letAllGo()
      await running.stop()
    })
  }

  test('are cancelled if the account is set to observe, unless they run', async () => {
    const sent = newTask('sent', { status: 'running', sends: 1, sent_at: now })
    const world = createWorld({ account: { access: 'observe' } }, newTask('a'), newTask('b'), sent)
    const running = world.start()
    await settle()
    for (const id of ['a', 'b']) {
      const { status, error } = world.task(id)
      assert.deepEqual([status, error], ['cancelled', 'The cloud account was set to observe.'])
    }
    assert.notEqual(world.task('sent').status, 'cancelled')
    await running.stop()
  })

  test('that were cancelled with a batch are no longer shown by their servers', async () => {
    for (const enabled of [true, false]) {
      const task = newTask('a', { status: 'cancelled', finished_at: now, isShown: true })
      const world = createWorld({ account: { enabled } }, task)
      const server = { ...defaultServer, id: 'a', status: 'ready' }
      const before = { id: 'a', seq: 1, revision: 1, factsDigest: '', server }
      world.servers.set('a', { ...before, server: showTask(before, task).server })
      const running = world.start()
      await settle()
      assert.equal(world.task('a').isShown, false)
      const shown = world.servers.get('a')?.server
      assert.ok(shown)
      assert.deepEqual([shown.status, ownNotesOf(shown).task_id], ['ready', undefined])
      await running.stop()
    }
  })

  test('a server that shuts down after its failed restart is started again', async () => {
    const failed = newTask('a', {
      action: 'restart',
      status: 'failed',
      finished_at: now,
      isShown: true,
    })
    const noted = withOwnNotes(
      { ...defaultServer, id: 'a', status: 'ready' },
      { failed_task: `${failed.id} restart` },
    )
    for (const access of ['manage', 'observe'] as const) {
      for (const status of ['ready', 'running']) {
        const world = createWorld({ account: { access } }, failed)
        const server = { ...noted, status }
        world.servers.set('a', { id: 'a', seq: 1, revision: 1, factsDigest: '', server })
        const running = world.start()
        await settle()
        const isStarted = access === 'manage' && status === 'ready'
        assert.deepEqual(
          world.accepted.flatMap(({ tasks }) => tasks.map(({ action }) => action)),
          isStarted ? ['start'] : [],
        )
        // One that still runs may shut down later.
        assert.equal(world.task('a').isShown, access === 'manage' && status === 'running')
        await running.stop()
      }
    }
  })

  test('of a disabled account do not start', async () => {
    const world = createWorld({ account: { enabled: false } }, newTask('a'))
    await world.start().stop()
    assert.deepEqual([world.started, world.task('a').status], [[], 'queued'])
  })

  test('start after an error of the storage, which is logged', async () => {
    const world = createWorld({ errors: 1 }, newTask('a'))
    const running = world.start()
    await eventually('the task is started', () => world.started.length > 0)
    assert.equal(world.warnings.length, 1)
    world.letAllGo()
    await running.stop()
  })

  test('and the recycle bin, which is emptied now and then', async () => {
    const world = createWorld({})
    const running = world.start()
    await settle()
    assert.equal(world.emptied(), 0)
    world.advance(10_000)
    running.wake()
    await settle()
    assert.equal(world.emptied(), 1)
    running.wake()
    await settle()
    assert.equal(world.emptied(), 1)
    await running.stop()
  })
})
