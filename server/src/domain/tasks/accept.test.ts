import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maxUnfinishedBatches, type Server } from '@muster/contract'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { buildServer } from '../inventory/build-server.ts'
import type { AttachedAccount } from '../sources/account.ts'
import type { ActionSupport } from '../sources/action-port.ts'
import { createBatchUseCases } from './create-batch.ts'
import type { Situation } from './decide-action.ts'
import { createRequireAnswer } from './require-answer.ts'
import { createIdempotency } from './idempotency.ts'
import { createPerformAction } from './perform-action.ts'
import type { IdempotencyRecord, TaskStore, UserLimit } from './ports.ts'
import type { BatchRecord, TaskRecord } from './task.ts'

const now = Date.UTC(2027, 0, 1)
const owner = { projectId: 'project', domainId: 'domain' }

const callerWith = (...allowed: readonly string[]) =>
  ({
    principal: {
      token: { userId: 'user' },
      userStatus: { user: { id: 'user', name: 'alice', domain: { id: 'domain' } } },
      scope: { kind: 'project', project: { id: 'project', domain: { id: 'domain' } } },
      policies: {
        system: [],
        domain: [],
        project: [
          {
            enabled: true,
            rules: allowed.map((action) => ({
              service: 'compute',
              resource: 'servers',
              action,
              effect: 'allow',
            })),
          },
        ],
      },
    },
    need: { service: 'compute', resource: 'servers', action: 'perform', at: ['project'] },
    authorizedScope: { scope: { kind: 'project', ...owner }, self: undefined },
    origin: { requestId: 'req', ip: '', isConfidential: true },
  }) as unknown as Caller

const everything = callerWith('get', 'list', 'perform', 'update', 'delete')

interface World {
  readonly access?: 'observe' | 'manage'
  readonly counts?: Partial<Record<UserLimit['kind'], number>>
  /** Regions that do not answer. Server n is in region n. */
  readonly silent?: readonly string[]
  readonly servers?: number
}

/** The use cases that accept actions, on servers in memory. */
function createWorld({ access = 'manage', counts = {}, silent = [], servers = 1 }: World) {
  const attached = {
    account: { id: 'account', name: 'lab', access, enabled: true, isBeingDeleted: false },
    sync: { is_unreachable: false, answered_at: 0, warnings: [] },
  } as unknown as AttachedAccount
  const support = { actions: ['start', 'stop', 'delete'] } as unknown as ActionSupport
  const stored = new Map<string, StoredServer>()
  for (let number = 0; number < servers; number += 1) {
    const id = `server-${number}`
    const facts = {
      id,
      name: id,
      status: 'ready',
      project_id: owner.projectId,
      region_ext_id: `${number}`,
    }
    const server: Server = buildServer(
      { ...facts, account_id: 'account', provider: 'Aws' },
      {
        domainId: owner.domainId,
        managerDomainId: '',
        ownTags: {},
        createdAt: '2026-05-04T08:00:00.000000Z',
        updateVersion: 3,
        updatedAt: '2026-05-04T08:00:00.000000Z',
      },
    )
    stored.set(id, { id, seq: number, revision: 1, factsDigest: '', server })
  }
  const accepted: Parameters<TaskStore['accept']>[0][] = []
  const keys: IdempotencyRecord[] = []
  const contacted: string[] = []
  const tasks = {
    accept: async (given: Parameters<TaskStore['accept']>[0]) => {
      accepted.push(given)
      if (given.idempotency) keys.push(given.idempotency)
      return true
    },
    find: async (id: string): Promise<TaskRecord | undefined> =>
      accepted.flatMap((given) => given.tasks).find((task) => task.id === id),
    findBatch: async (id: string): Promise<BatchRecord | undefined> =>
      accepted.flatMap(({ batch }) => batch ?? []).find((batch) => batch.id === id),
    findIdempotency: async (userId: string, key: string) =>
      keys.find((one) => one.user_id === userId && one.key === key),
    countOf: async (_userId: string, kind: UserLimit['kind']) => counts[kind] ?? 0,
    countBatches: async (ids: readonly string[]) => new Map(ids.map((id) => [id, {}])),
    refusedIds: async (id: string) =>
      accepted.find(({ batch }) => batch?.id === id)?.refusedIds ?? [],
  } as unknown as TaskStore
  const dependencies = {
    findServer: async (_caller: Caller, id: string) => ({ parts: { id } }),
    finder: {
      find: async () => ({ total: stored.size, found: [] }),
      load: async () => [...stored.values()],
    },
    serverWriter: {
      findStored: async (ids: readonly string[]) =>
        new Map([...stored].filter(([id]) => ids.includes(id))),
    },
    loadSituations: async (wanted: readonly StoredServer[]) =>
      new Map(
        wanted.map(({ id, server }): [string, Situation] => [
          id,
          { server, attached, support, task: undefined, isMissing: false },
        ]),
      ),
    tasks,
    idempotency: createIdempotency(tasks, () => now),
    requireAnswer: createRequireAnswer({
      async probe(_id, { regionId }) {
        contacted.push(regionId)
        if (silent.includes(regionId)) throw new PlatformError('ServiceUnavailable', 'no answer')
      },
      clock: () => now,
    }),
    reauthorizeCaller: async (caller: Caller) => caller,
    taskTimeout: 900_000,
    recycleFor: 604_800_000,
    wake: () => {},
    validateParameters: () => {},
    clock: () => now,
  }
  const performAction = createPerformAction(dependencies as never)
  const { createBatch } = createBatchUseCases(dependencies as never)
  const request = { key: undefined, method: 'POST', path: '/', body: {}, ifMatch: undefined }
  return {
    accepted,
    contacted,
    start: (changes: object = {}, caller = everything) =>
      performAction(caller, 'server-0', 'start', {}, { ...request, ...changes }),
    batch: (batch: object, changes: object = {}, caller = everything) =>
      createBatch(caller, { action: 'start', ...batch }, { ...request, ...changes }),
  }
}

describe('an action is accepted', () => {
  test('with one task, whose limit the commit checks again', async () => {
    const { start, accepted } = createWorld({ counts: { 'queued tasks': 99 } })
    const { taskId } = await start()
    assert.equal(accepted[0]?.tasks[0]?.id, taskId)
    assert.deepEqual(accepted[0]?.limit, { userId: 'user', kind: 'queued tasks', most: 100 })
  })

  test('unless something is against it: then nothing is stored', async () => {
    const refusals = [
      [{ counts: { 'queued tasks': 100 } }, {}, everything, 'TooManyRequests'],
      [{ access: 'observe' }, {}, everything, 'AccountReadOnlyError'],
      [{ silent: ['0'] }, {}, everything, 'ServiceUnavailable'],
      [{}, { ifMatch: '"v4"' }, everything, 'PreconditionFailedError'],
      [{}, {}, callerWith('get'), 'ForbiddenError'],
    ] as const
    for (const [world, request, caller, errorClass] of refusals) {
      const { start, accepted } = createWorld(world)
      const isAllowed = caller === everything
      const narrowed = isAllowed
        ? caller
        : { ...caller, authorizedScope: { scope: { kind: 'none' as const }, self: undefined } }
      await assert.rejects(start(request, narrowed), { class: errorClass })
      assert.equal(accepted.length, 0, errorClass)
    }
  })

  test('once for each Idempotency-Key', async () => {
    const { start, accepted } = createWorld({})
    const first = await start({ key: 'a' })
    assert.deepEqual(await start({ key: 'a' }), first)
    assert.equal(accepted.length, 1)
    await assert.rejects(start({ key: 'a', path: '/other' }), { class: 'IdempotencyError' })
    await start({ key: 'b' })
    assert.equal(accepted.length, 2)
  })
})

describe('a batch is accepted', () => {
  const ids = ['server-0', 'server-1', 'unknown']

  test('with a task for each visible server; the other ids are refused', async () => {
    const { batch, accepted, contacted } = createWorld({ servers: 2 })
    const answer = await batch({ ids })
    const [stored] = accepted
    assert.deepEqual(
      stored?.tasks.map(({ server_id, status }) => [server_id, status]),
      [
        ['server-0', 'queued'],
        ['server-1', 'queued'],
      ],
    )
    assert.deepEqual([stored?.refusedIds, stored?.batch?.total], [['unknown'], 3])
    assert.deepEqual(stored?.limit, {
      userId: 'user',
      kind: 'unfinished batches',
      most: maxUnfinishedBatches,
    })
    assert.ok('batch' in answer && answer.batch.refusals[0]?.server_id === 'unknown')
    assert.deepEqual(contacted, ['0', '1'], 'each region is contacted once')
  })

  test('not beyond the limit, nor without servers', async () => {
    const full = createWorld({ counts: { 'unfinished batches': maxUnfinishedBatches } })
    await assert.rejects(full.batch({ ids }), { class: 'TooManyRequests' })
    const empty = createWorld({ servers: 0 })
    await assert.rejects(empty.batch({ q: 'name:none' }), { class: 'InputParameterError' })
    const preview = await empty.batch({ q: 'name:none', dry_run: true })
    assert.ok('preview' in preview && preview.preview.total === 0)
    assert.equal(full.accepted.length + empty.accepted.length, 0)
  })

  test('for deletions only with the hash of the dry run, and for no other servers', async () => {
    const { batch, accepted } = createWorld({ servers: 2 })
    const deletion = { action: 'delete', ids: ['server-0', 'server-1'] }
    await assert.rejects(batch(deletion), { class: 'MissingParameterError' })
    const dry = await batch({ ...deletion, dry_run: true })
    assert.ok('preview' in dry)
    const { matched } = dry.preview
    const others = { ...deletion, ids: ['server-0'], matched }
    await assert.rejects(batch(others), { class: 'ConflictError' })
    await assert.rejects(batch({ ids: deletion.ids, matched }), { class: 'ConflictError' })
    assert.equal(accepted.length, 0)
    await batch({ ...deletion, matched })
    assert.equal(accepted[0]?.tasks.length, 2)
  })

  test('with refused servers if their account is only observed, or silent', async () => {
    for (const world of [{ access: 'observe' }, { silent: ['0', '1'] }] as const) {
      const { batch, accepted } = createWorld({ servers: 2, ...world })
      const dry = await batch({ ids, dry_run: true })
      assert.ok('preview' in dry && dry.preview.items.every(({ outcome }) => outcome === 'refused'))
      await batch({ ids })
      assert.ok(accepted[0]?.tasks.every(({ status }) => status === 'failed'))
      assert.deepEqual(accepted[0]?.writes, [])
    }
  })

  test('with ended tasks for servers that are already so', async () => {
    const { batch, accepted } = createWorld({ servers: 2 })
    await batch({ action: 'stop', ids: ['server-0', 'server-1'] })
    for (const { status, stage, progress, finished_at } of accepted[0]?.tasks ?? []) {
      assert.deepEqual([status, stage, progress, finished_at], ['succeeded', 'already', 100, now])
    }
    assert.deepEqual([accepted[0]?.tasks.length, accepted[0]?.writes], [2, []])
  })

  test('with refused servers of the region that is silent only', async () => {
    for (const silent of ['0', '1']) {
      const { batch, accepted } = createWorld({ servers: 2, silent: [silent] })
      await batch({ ids })
      assert.deepEqual(
        accepted[0]?.tasks.map(({ status }) => status),
        ['0', '1'].map((region) => (region === silent ? 'failed' : 'queued')),
      )
    }
  })

  test('by those who may perform its action', async () => {
    const { batch, accepted } = createWorld({})
    const reader = callerWith('get', 'list', 'perform.stop')
    await assert.rejects(batch({ ids }, {}, reader), { class: 'ForbiddenError' })
    assert.equal(accepted.length, 0)
  })

  test('once for each Idempotency-Key', async () => {
    const { batch, accepted } = createWorld({})
    await batch({ ids }, { key: 'a' })
    await batch({ ids }, { key: 'a' })
    assert.equal(accepted.length, 1)
    await assert.rejects(batch({ ids }, { key: 'a', body: { other: 1 } }), {
      class: 'IdempotencyError',
    })
  })
})
