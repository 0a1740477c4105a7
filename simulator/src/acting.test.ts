import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActionError } from '@muster/server/source-port'
import type {
  ActionErrorKind,
  ReportedFacts,
  SourceCall,
  SourceUpdate,
} from '@muster/server/source-port'
import {
  conformanceContext,
  sendCall,
  createMemoryState,
  getReadable,
  scanAll,
  testActing,
} from '@muster/server/testing/source-conformance'
import { referTo } from '@muster/server/testing/server-reference'
import { startTime, tickLength } from './lifecycle.ts'
import { openActor } from './open-actor.ts'
import { openSimulator } from './open-simulator.ts'
import { simulatorKind } from './simulator-kind.ts'
import { readSettings } from './simulator-settings.ts'
import { createSimulator } from './simulator.ts'

const day = 86_400_000
const time = startTime + 40_000 * tickLength
const options = { servers: 1_000, seed: 7, tenants: ['one', 'two'] }
const simulator = createSimulator(readSettings({ options }))
const signal = AbortSignal.timeout(60_000)
const calls = {
  start: { kind: 'start' },
  stop: { kind: 'stop', isForced: false },
  restart: { kind: 'restart', isForced: false },
  reset: { kind: 'reset', isHard: false },
  suspend: { kind: 'suspend' },
  resume: { kind: 'resume' },
  delete: { kind: 'delete', disks: true, snapshots: true },
} as const

/** A server that shows these facts now. */
function findServer(is: (facts: ReportedFacts) => boolean, at = time): string {
  for (let index = 0; index < simulator.servers; index += 1) {
    const facts = simulator.factsAt(index, at)
    if (facts && is(facts)) return facts.external_id ?? ''
  }
  return assert.fail('no server is like this')
}
const inStatus = (status: string) =>
  findServer((facts) => facts.status === status && facts.disable_delete === false)

/** An account whose clock the test advances. */
function openAccount(more: Readonly<Record<string, unknown>> = {}) {
  const state = createMemoryState()
  const settings = readSettings({ options: { ...options, ...more } })
  let now = time
  const context = { state, clock: () => now, throttle: async () => {} }
  const open = () => openSimulator(settings, context, 1)
  const source = open()
  return {
    open,
    source,
    pass: (milliseconds: number) => (now += milliseconds),
    read: async (id: string) => (await getReadable(source, referTo(id)))?.facts,
    /** With a connection of its own, as Muster does. */
    act: (call: SourceCall, id: string, limit = signal) =>
      sendCall(openActor(settings, context), call, referTo(id), limit),
  }
}

const isError = (kind: ActionErrorKind) => (error: unknown) =>
  error instanceof ActionError && error.kind === kind

describe('conformance: actions of a simulator', () => {
  const state = createMemoryState()
  testActing(simulatorKind, () => ({
    settings: { address: '', credentials: {}, options: { ...options, action_delay: 20 } },
    context: { ...conformanceContext, state },
    running: async () =>
      referTo(
        findServer(
          ({ status, disable_delete }) => status === 'running' && disable_delete === false,
          Date.now(),
        ),
      ),
  }))
})

describe('an action of a simulator', () => {
  for (const [kind, from, through, to] of [
    ['start', 'ready', ['starting'], 'running'],
    ['stop', 'running', ['stopping'], 'ready'],
    ['stop', 'unknown', ['stopping'], 'ready'],
    ['restart', 'running', ['stopping', 'starting'], 'running'],
    ['reset', 'running', ['starting'], 'running'],
    ['suspend', 'running', ['suspending'], 'suspend'],
    ['resume', 'suspend', ['resuming'], 'running'],
    ['delete', 'running', ['deleting'], undefined],
  ] as const) {
    test(`${kind} takes a server from ${from} through ${through.join(' and ')} to ${to ?? 'its end'}`, async () => {
      const { act, read, pass } = openAccount()
      const id = inStatus(from)
      await act(calls[kind], id)
      for (const status of through) {
        assert.equal((await read(id))?.status, status)
        await assert.rejects(act(calls.stop, id), isError('conflict'))
        pass(2_000 / through.length)
      }
      const after = await read(id)
      assert.equal(after?.status, to)
      assert.deepEqual(after?.notes ?? {}, {})
    })
  }

  test('is refused in the wrong state, for unknown servers and for protected ones', async () => {
    const { act } = openAccount()
    for (const [kind, status] of [
      ['start', 'running'],
      ['stop', 'ready'],
      ['restart', 'ready'],
      ['resume', 'running'],
      ['suspend', 'ready'],
      ['delete', 'deploying'],
    ] as const) {
      await assert.rejects(act(calls[kind], inStatus(status)), isError('conflict'))
    }
    const guarded = findServer((facts) => facts.status === 'ready' && facts.disable_delete === true)
    await assert.rejects(act(calls.delete, guarded), isError('conflict'))
    await assert.rejects(act(calls.start, 'nobody'), isError('not-found'))
    const elsewhere = openAccount({ cloud_account: 'aws-production' })
    const other = findServer((facts) => facts.status === 'ready' && facts.provider === 'Azure')
    await assert.rejects(elsewhere.act(calls.start, other), isError('not-found'))
  })

  test('changes the size to a named or a free one, as far as there is room', async () => {
    const { act, read, pass } = openAccount()
    const id = findServer((facts) => facts.status === 'running' && facts.provider === 'Aws')
    const resize = (size: object) => act({ kind: 'resize', size }, id)
    const before = await read(id)
    await resize({ instance_type: 'm6i.xlarge' })
    assert.equal((await read(id))?.status, 'change_flavor')
    assert.equal((await read(id))?.instance_type, before?.instance_type)
    pass(2_000)
    const named = await read(id)
    assert.deepEqual(
      [named?.status, named?.instance_type, named?.flavor_id, named?.vcpu_count, named?.vmem_size],
      ['running', 'm6i.xlarge', 'm6i.xlarge', 4, 16_384],
    )
    await resize({ vcpu_count: 3 })
    pass(2_000)
    const free = await read(id)
    assert.deepEqual([free?.instance_type, free?.vcpu_count, free?.vmem_size], ['', 3, 16_384])
    await assert.rejects(resize({ instance_type: 'none' }), isError('unsupported'))
    await assert.rejects(
      resize({ instance_type: 'm6i.xlarge', vcpu_count: 3 }),
      isError('unsupported'),
    )
    await assert.rejects(resize({ vcpu_count: 100_000 }), isError('quota'))
  })

  test('changes what the source stores of a server, also its protection', async () => {
    const { act, read, pass } = openAccount()
    const id = findServer((facts) => facts.status === 'ready' && facts.disable_delete === true)
    const changes = {
      name: 'another name',
      shutdown_behavior: 'terminate',
      boot_order: 'n',
      disable_delete: false,
    }
    await act({ kind: 'update', changes }, id)
    pass(2_000)
    const { name, shutdown_behavior, boot_order, disable_delete, status } = (await read(id)) ?? {}
    assert.deepEqual({ name, shutdown_behavior, boot_order, disable_delete }, changes)
    assert.equal(status, 'ready')
    await act(calls.delete, id)
    pass(2_000)
    assert.equal(await read(id), undefined)
  })

  test('is not undone by the life cycle, which still changes the rest', async () => {
    const { act, open, source, pass } = openAccount()
    const seen = [...(await scanAll(source)).values()].filter(
      ({ facts }) => facts.status === 'running' && facts.disable_delete === false,
    )
    const [stopped, deleted] = [seen.slice(0, 100), seen.slice(100, 150)]
    for (const { facts } of stopped) await act(calls.stop, facts.external_id ?? '')
    for (const { facts } of deleted) await act(calls.delete, facts.external_id ?? '')
    let moved = 0
    for (let days = 0; days < 3; days += 1) {
      pass(day)
      const all = [...(await scanAll(open())).values()]
      const byId = new Map(all.map(({ facts }) => [facts.external_id, facts]))
      for (const { facts } of stopped) {
        const now = byId.get(facts.external_id)
        assert.deepEqual([now?.status, now?.vcpu_count], ['ready', facts.vcpu_count])
        assert.equal(now?.created_at, facts.created_at)
        if (JSON.stringify(now?.nics) !== JSON.stringify(facts.nics)) moved += 1
      }
      for (const { facts } of deleted) assert.ok(!byId.has(facts.external_id))
    }
    assert.ok(moved > 0)
  })

  test('is in a scan, in a read of one and of several servers alike', async () => {
    const { act, source, pass } = openAccount()
    const ids = [inStatus('running'), inStatus('ready'), inStatus('suspend')]
    await act(calls.stop, ids[0] ?? '')
    await act(calls.delete, ids[1] ?? '')
    await act(calls.resume, ids[2] ?? '')
    for (const milliseconds of [0, 1_000, 1_000, day]) {
      pass(milliseconds)
      const scanned = [...(await scanAll(source)).values()]
      const inScan = ids.map((id) => scanned.find(({ facts }) => facts.external_id === id))
      const many = await source.getMany?.(
        ids.map((id) => referTo(id)),
        signal,
      )
      assert.deepEqual(many, inScan)
      for (const [at, id] of ids.entries()) {
        assert.deepEqual(await source.get(referTo(id), signal), inScan[at])
      }
    }
  })

  test('is told to every watcher, at its start and at its end', async () => {
    const { act, open, pass } = openAccount()
    const id = inStatus('running')
    const key = simulator.keyOf(simulator.indexOf(id) ?? -1)
    const ending = new AbortController()
    const watchers = [open(), open()].map(({ watch }) => {
      assert.ok(watch)
      return watch(ending.signal)[Symbol.asyncIterator]()
    })
    for (const watcher of watchers) await watcher.next()
    const next = async () =>
      await Promise.all(
        watchers.map(async (watcher) => {
          const { value } = await watcher.next()
          const { present, gone } = value as SourceUpdate
          return [present.map(({ facts }) => facts.status), gone]
        }),
      )
    const told = (...update: unknown[]) => [update, update]
    await act(calls.stop, id)
    assert.deepEqual(await next(), told(['stopping'], []))
    pass(2_000)
    assert.deepEqual(await next(), told(['ready'], []))
    await act(calls.delete, id)
    assert.deepEqual(await next(), told(['deleting'], []))
    pass(2_000)
    assert.deepEqual(await next(), told([], [key]))
    ending.abort()
  })

  test('succeeds only once if two are sent at the same time', async () => {
    const { act } = openAccount()
    const id = inStatus('running')
    const results = await Promise.allSettled([act(calls.stop, id), act(calls.suspend, id)])
    const failed = results.filter(({ status }) => status === 'rejected')
    assert.equal(failed.length, 1)
    assert.ok(isError('conflict')((failed[0] as PromiseRejectedResult).reason))
  })
})

describe('an action that a simulator is told to fail', () => {
  test('fails in the same way each time, and changes nothing', async () => {
    const sequences = []
    for (let run = 0; run < 2; run += 1) {
      const { act, read, pass } = openAccount({ action_failures: 40 })
      const id = inStatus('running')
      const results: string[] = []
      for (let number = 0; number < 30; number += 1) {
        const before = await read(id)
        const result = await act(before?.status === 'running' ? calls.stop : calls.start, id).then(
          () => 'done',
          (error: unknown) => (isError('failed')(error) ? 'failed' : String(error)),
        )
        if (result === 'failed') assert.deepEqual(await read(id), before)
        results.push(result)
        pass(2_000)
      }
      assert.deepEqual(new Set(results), new Set(['done', 'failed']))
      sequences.push(results)
    }
    assert.deepEqual(sequences[0], sequences[1])
  })

  test('has no response until it is aborted, and half of them take effect', async () => {
    const { act, read, pass } = openAccount({ action_hangs: 100 })
    const running = Array.from({ length: 200 }, (_, index) => simulator.factsAt(index, time))
      .filter((facts) => facts?.status === 'running')
      .map((facts) => facts?.external_id ?? '')
    for (const id of running) {
      const sent = act(calls.stop, id, AbortSignal.timeout(10))
      await assert.rejects(sent, isError('outcome-unknown'))
    }
    pass(2_000)
    const statuses = await Promise.all(running.map(async (id) => (await read(id))?.status))
    const stopped = statuses.filter((status) => status === 'ready').length
    assert.ok(stopped > running.length / 4 && stopped < (running.length * 3) / 4, String(stopped))
  })
})
