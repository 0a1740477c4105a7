import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createMemorySync,
  makeAccount,
  makeSeen,
} from '../../testing/inventory-world/in-memory-sync.ts'
import { PlatformError } from '../error.ts'
import type { Account, SyncRecord } from './account.ts'
import { createRunAccount } from './run-account.ts'
import { SourceError } from './source-error.ts'
import type { Forbidden, ReportedServer, Source, SourceKind, SourceUpdate } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

const runner = 'this one'
/** Shortens every delay after a failure to some hundredths of a second. */
const shortWaits = () => -0.99

/** Events that a test sends on demand. */
function createChannel() {
  const waiting: SourceUpdate[] = [{ present: [], gone: [] }]
  let wake = () => {}
  let failure: Error | undefined
  return {
    tell(news: Partial<SourceUpdate>): void {
      waiting.push({ present: [], gone: [], ...news })
      wake()
    },
    breakOff(error: Error): void {
      failure = error
      wake()
    },
    async *watch(signal: AbortSignal): AsyncGenerator<SourceUpdate> {
      signal.addEventListener('abort', () => wake(), { once: true })
      for (;;) {
        yield* waiting.splice(0)
        if (signal.aborted) return
        if (failure) {
          const error = failure
          failure = undefined
          waiting.push({ present: [], gone: [] })
          throw error
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

interface Options {
  readonly account?: Partial<Account>
  readonly sync?: Partial<SyncRecord>
  readonly hasEvents?: boolean
  readonly random?: () => number
}

/** An account that is run against a source in memory, for as long as the test lasts. */
function run(
  t: TestContext,
  { account, sync, hasEvents = false, random = shortWaits }: Options = {},
) {
  const memory = createMemorySync(makeAccount(account), { runner, ...sync })
  const world = new Map<string, ReportedServer>()
  const channel = createChannel()
  const logged: { level: string; fields: object; message: string }[] = []
  const faults = {
    open: undefined as Error | undefined,
    /** Comes after the first page. */
    scan: undefined as Error | undefined,
    /** Waited for after the first page. */
    hold: undefined as Promise<void> | undefined,
    /** Reported at the end. */
    forbidden: [] as readonly Forbidden[],
  }
  const counts = { opened: 0, closed: 0, scans: 0 }

  const source: Source = {
    title: 'memory',
    async *scan() {
      counts.scans += 1
      // Like a real source: a page that was read before a change is reported after it.
      const pages = [...world.values()].map((server) => ({ present: [server], gone: [] }))
      for (const [index, page] of pages.entries()) {
        if (index === 1 && faults.hold) await faults.hold
        if (index === 1 && faults.scan) throw faults.scan
        yield page
      }
      for (const forbidden of faults.forbidden) yield { present: [], gone: [], forbidden }
    },
    get: async ({ externalId }) => world.get(externalId),
    ...(hasEvents && { watch: channel.watch }),
    close: async () => void (counts.closed += 1),
  }
  const openAccount = async () => {
    if (faults.open) throw faults.open
    counts.opened += 1
    return source
  }
  const results: string[] = []
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields, message })
  const runAccount = createRunAccount({
    ...memory,
    openSource: {
      loadKind: async () => ({ hasEvents }) as SourceKind,
      openAccount,
    },
    defaultHold: 0,
    clock: Date.now,
    random,
    countScan: (_provider, result) => void results.push(result),
    log: { debug: log('debug'), info: log('info'), warn: log('warn') },
  })
  const put = (...servers: readonly ReportedServer[]) => {
    for (const server of servers) world.set(server.facts.name, server)
  }
  let running: ReturnType<typeof runAccount> | undefined
  t.after(() => running?.stop())
  return {
    memory,
    world,
    put,
    channel,
    faults,
    counts,
    logged,
    start: () => (running ??= runAccount({ ...memory.attached }, runner)),
    names: () => memory.present().map(({ name }) => name),
    statuses: () => memory.present().map(({ name, status }) => `${name} ${status}`),
    async until(isSo: () => boolean): Promise<void> {
      const end = Date.now() + 5_000
      while (!isSo()) {
        assert.ok(Date.now() < end, JSON.stringify([memory.attached.sync, logged]))
        await pause(5)
      }
    },
  }
}

const unreachable = new SourceError('unreachable', 'The host cannot be reached.')

describe('a running account', () => {
  test('is scanned at once and stores the result', async (t) => {
    const { memory, put, start, until, names, counts } = run(t)
    put(makeSeen('a'), makeSeen('b'))
    start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { sync } = memory.attached
    assert.deepEqual([sync.seen, sync.created, sync.is_running, sync.error], [2, 2, false, ''])
    assert.ok(sync.next_at > Date.now())
    assert.deepEqual(names(), ['a', 'b'])
    assert.deepEqual([counts.opened, counts.closed], [1, 1])
  })

  test('is scanned once per request, even if the request is read several times', async (t) => {
    const { memory, start, until, counts } = run(t)
    const before = Date.now() - 1
    const running = start()
    running.requestScan(0, before)
    await until(() => memory.attached.sync.finished_at !== null)
    running.requestScan(0, before)
    await pause(20)
    assert.equal(counts.scans, 1)
    running.requestScan(0, Date.now())
    await until(() => counts.scans === 2)
  })

  test('is scanned at once if another process died during a scan', async (t) => {
    const { memory, put, start, until, faults, counts } = run(t)
    put(makeSeen('a'), makeSeen('b'))
    const { promise, resolve } = Promise.withResolvers<void>()
    faults.hold = promise
    start()
    await until(() => counts.scans === 1)
    // The next process knows only what is stored.
    assert.equal(memory.attached.sync.is_running, true)
    assert.ok(memory.attached.sync.next_at <= Date.now())
    resolve()
  })

  test('is scanned at its period', async (t) => {
    const { start, until, counts } = run(t, { account: { period: 0.02 } })
    start()
    await until(() => counts.scans > 3)
  })

  test('stores why a scan failed and tries again', async (t) => {
    const { memory, put, start, until, names, faults, logged } = run(t)
    put(makeSeen('a'), makeSeen('b'))
    faults.open = unreachable
    start()
    await until(() => memory.attached.sync.failures > 1)
    assert.equal(memory.attached.sync.error, unreachable.message)
    assert.equal(memory.attached.sync.finished_at, null)
    assert.ok(logged.some(({ level, message }) => level === 'warn' && message === 'sync failed'))
    faults.open = undefined
    await until(() => memory.attached.sync.finished_at !== null)
    assert.deepEqual([memory.attached.sync.error, memory.attached.sync.failures], ['', 0])
    assert.deepEqual(names(), ['a', 'b'])
  })

  test('stores each sync, and since when the account fails', async (t) => {
    const { memory, put, start, until, faults } = run(t)
    const results = () => memory.runs.map(({ result }) => result)
    const since = () => memory.attached.sync.failing_since
    put(makeSeen('a'), makeSeen('b'))
    const running = start()
    await until(() => memory.runs.length === 1)
    assert.equal(since(), null)

    faults.scan = new SourceError('credentials', 'The key has expired.')
    running.requestScan(0)
    await until(() => memory.runs.length > 2)
    const [complete, failed] = memory.runs
    assert.ok(complete && failed)
    assert.deepEqual(results().slice(0, 3), ['complete', 'failed', 'failed'])
    assert.deepEqual([complete.seen, complete.created, complete.error], [2, 2, ''])
    assert.deepEqual([failed.seen, failed.created], [1, 0], 'what it has read until it failed')
    assert.equal(failed.error, 'The key has expired.')
    assert.equal(failed.duration_ms, failed.finished_at - failed.started_at)
    assert.equal(since(), failed.started_at)
    assert.equal(memory.attached.sync.error_field, 'credentials')

    faults.scan = undefined
    await until(() => results().at(-1) === 'complete')
    assert.deepEqual([since(), memory.attached.sync.error_field], [null, ''])
    faults.scan = unreachable
    const before = Date.now()
    running.requestScan(0)
    await until(() => results().at(-1) === 'failed')
    assert.ok((since() ?? 0) >= before, 'not since the failures before')
  })

  test('fails since the time that is stored, whichever process runs it', async (t) => {
    const { memory, start, until, faults } = run(t, { sync: { failures: 3, failing_since: 5 } })
    faults.open = unreachable
    start()
    await until(() => memory.runs.length > 0)
    assert.equal(memory.attached.sync.failing_since, 5)
  })

  test('counts no failure if the storage fails, and tries again', async (t) => {
    const { memory, put, faults, start, until, names } = run(t, { account: { period: 1 } })
    put(makeSeen('one'), makeSeen('two'))
    faults.scan = new PlatformError('ServiceUnavailable', 'The database does not respond.')
    start()
    await until(() => memory.attached.sync.error.includes('The database does not respond.'))
    assert.equal(memory.attached.sync.failures, 0)
    assert.equal(memory.attached.sync.is_unreachable, false)
    faults.scan = undefined
    await until(() => memory.attached.sync.finished_at !== null)
    assert.equal(memory.attached.sync.error, '')
    assert.deepEqual(names(), ['one', 'two'])
  })

  test('removes no servers after a scan that failed halfway, and keeps the last complete counts', async (t) => {
    const { memory, put, start, until, names, faults } = run(t)
    put(makeSeen('a'), makeSeen('b'), makeSeen('c'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { finished_at } = memory.attached.sync
    faults.scan = new SourceError('incomplete', 'It stopped in the middle.')
    running.requestScan(0)
    await until(() => memory.attached.sync.failures > 0)
    assert.deepEqual(names(), ['a', 'b', 'c'])
    const { sync } = memory.attached
    assert.deepEqual([sync.seen, sync.created, sync.finished_at], [3, 3, finished_at])
  })

  test('describes bugs of Muster only in the log', async (t) => {
    const { memory, start, until, faults, logged } = run(t)
    faults.open = new TypeError('x is not a function')
    start()
    await until(() => memory.attached.sync.failures > 0)
    assert.equal(memory.attached.sync.error, 'Muster itself failed. See its log.')
    assert.ok(logged.some(({ fields }) => 'err' in fields))
  })

  test('stores error texts without characters that the database rejects', async (t) => {
    const { memory, start, until, faults } = run(t)
    faults.open = new SourceError('failed', `It says: a\0b \uD800 ${'x'.repeat(10 * 2 ** 20)}`)
    start()
    await until(() => memory.attached.sync.failures > 0)
    const { error } = memory.attached.sync
    assert.ok(error.length < 5_000 && error.isWellFormed() && !error.includes('\0'))
  })

  test('sets its servers to unknown after three periods without an answer, and restores them', async (t) => {
    const { memory, put, start, until, statuses, faults } = run(t, { account: { period: 0.1 } })
    put(makeSeen('a'), makeSeen('b'))
    start()
    await until(() => memory.attached.sync.finished_at !== null)
    faults.open = unreachable
    await until(() => memory.attached.sync.is_unreachable)
    assert.deepEqual(statuses(), ['a unknown', 'b unknown'])
    faults.open = undefined
    await until(() => !memory.attached.sync.is_unreachable)
    assert.deepEqual(statuses(), ['a running', 'b running'])
  })

  test('removes all servers only after three complete scans, and warns until then', async (t) => {
    const { memory, put, world, start, until, statuses, names, counts } = run(t)
    const warned = () => memory.attached.sync.warnings.map(({ kind, count }) => [kind, count])
    put(makeSeen('a'), makeSeen('b'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    world.clear()
    running.requestScan(0)
    await until(() => warned().length > 0)
    assert.deepEqual(warned(), [['missing', 2]])
    assert.equal(memory.attached.sync.error, '')
    assert.deepEqual(statuses(), ['a unknown', 'b unknown'])
    await running.refresh(memory.present()[0]?.id ?? '', referTo('a'))
    assert.deepEqual(names(), ['a', 'b'], 'reading one server does not end the hold')
    for (const scan of [2, 3]) {
      const before = counts.scans
      running.requestScan(0)
      await until(() => counts.scans > before && !isScanning())
      assert.deepEqual(names(), scan === 2 ? ['a', 'b'] : [])
    }
    assert.deepEqual(warned(), [])

    function isScanning() {
      return memory.attached.sync.is_running
    }
  })

  test('removes confirmed servers when its source answers again, unless they return', async (t) => {
    const { memory, put, world, start, until, faults, names } = run(t)
    put(makeSeen('a'), makeSeen('b'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    world.clear()
    running.requestScan(0)
    await until(() => memory.attached.sync.warnings.length > 0)
    faults.open = unreachable
    running.requestScan(0)
    await until(() => memory.attached.sync.failures > 0)
    assert.equal(memory.attached.sync.warnings[0]?.until, null, 'nobody knows until when')
    assert.deepEqual(names(), ['a', 'b'])
    assert.ok(await memory.accounts.confirmGone('account', {} as never))
    const { failures } = memory.attached.sync
    running.requestScan(0)
    await until(() => memory.attached.sync.failures > failures)
    assert.deepEqual(names(), ['a', 'b'], 'nothing is read, so nothing is removed')
    put(makeSeen('b'))
    faults.open = undefined
    running.requestScan(0)
    await until(() => names().length === 1)
    assert.deepEqual(names(), ['b'])
    await until(() => memory.attached.sync.warnings.length === 0)
    assert.equal(await memory.accounts.confirmGone('account', {} as never), false)
  })

  test('warns about unreadable servers of scans and of events', async (t) => {
    const { memory, put, channel, start, until } = run(t, { hasEvents: true })
    const texts = () => memory.attached.sync.warnings.map(({ text }) => text)
    put(makeSeen('a'), makeSeen('odd'))
    start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { key } = makeSeen('odd')
    channel.tell({ unreadable: [{ key, name: 'odd', reason: 'too long' }] })
    await until(() => texts().length > 0)
    assert.deepEqual(texts(), ['1 server could not be read: odd: too long'])
    assert.equal(memory.attached.sync.failures, 0)
    channel.tell({ present: [makeSeen('odd')] })
    await until(() => texts().length === 0)
  })

  test('warns about permissions that the credentials lack, until they have them', async (t) => {
    const { memory, put, start, until, faults } = run(t)
    const warnings = () => memory.attached.sync.warnings
    put(makeSeen('a'), makeSeen('b'), makeSeen('c'))
    const lacks = (servers: number) => ({ permission: 'ec2:DescribeHosts', servers })
    faults.forbidden = [lacks(1), lacks(2)]
    const running = start()
    await until(() => warnings().length > 0)
    assert.deepEqual(warnings(), [
      {
        kind: 'forbidden',
        text: 'Details of 3 servers or of their hosts are unknown, because the credentials lack a permission: ec2:DescribeHosts.',
        count: 3,
        until: null,
      },
    ])
    assert.equal(memory.attached.sync.error, '')
    faults.forbidden = []
    running.requestScan(0)
    await until(() => warnings().length === 0)
  })

  test('stops when it is changed or another process runs it', async (t) => {
    for (const change of ['revision', 'runner'] as const) {
      const { memory, put, start, names } = run(t)
      put(makeSeen('a'))
      const { account, sync } = memory.attached
      const running = start()
      if (change === 'revision') memory.attached.account = { ...account, revision: 2 }
      else memory.attached.sync = { ...sync, runner: 'somebody else' }
      await running.done
      assert.deepEqual(names(), [])
    }
  })

  test('that is being deleted removes all its servers', async (t) => {
    const { memory, put, start, until } = run(t)
    put(...Array.from({ length: 1_100 }, (_, number) => makeSeen(`s${number}`)))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    await running.stop()
    const deleted = { ...memory.attached.account, isBeingDeleted: true, revision: 2 }
    memory.attached.account = deleted
    const again = createRunAccount({
      ...memory,
      // That needs no request to the source.
      openSource: {
        loadKind: () => assert.fail(),
        openAccount: async () => assert.fail(),
      },
      defaultHold: 0,
      clock: Date.now,
      random: shortWaits,
      countScan() {},
      log: { debug() {}, info() {}, warn() {} },
    })
    await again({ ...memory.attached }, runner).done
    assert.ok(memory.isRemoved())
    assert.deepEqual(memory.present(), [])
  })

  test('stops in the middle of a scan', async (t) => {
    const { put, start, until, faults, counts, names } = run(t)
    put(makeSeen('a'), makeSeen('b'))
    faults.hold = pause(50)
    const running = start()
    await until(() => counts.scans === 1)
    await running.stop()
    assert.equal(counts.closed, counts.opened)
    assert.ok(names().length <= 2)
  })

  test('refreshes a single server on request', async (t) => {
    const { memory, put, world, start, until, statuses } = run(t)
    put(makeSeen('a'), makeSeen('b'), makeSeen('c'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    put(makeSeen('a', { status: 'ready' }))
    world.delete('b')
    const refresh = (name: string) => running.refresh(serverIdOf(makeSeen(name)), referTo(name))
    await refresh('a')
    await refresh('b')
    assert.deepEqual(statuses(), ['a ready', 'c running'])
  })

  test('removes no servers by single refreshes while its source misses most of them', async (t) => {
    const { memory, put, world, start, until, statuses } = run(t)
    put(...['a', 'b', 'c', 'd', 'e'].map((name) => makeSeen(name)))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    for (const name of ['a', 'b', 'c', 'd']) world.delete(name)
    for (const name of ['a', 'b', 'c', 'd']) {
      await running.refresh(serverIdOf(makeSeen(name)), referTo(name))
    }
    assert.deepEqual(statuses(), ['a unknown', 'b unknown', 'c unknown', 'd unknown', 'e running'])
  })

  test('is scanned for a server that its source denies, unless the last scan missed it too', async (t) => {
    const { memory, put, world, start, until, statuses, counts } = run(t)
    put(makeSeen('a'), makeSeen('b'), makeSeen('c'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    world.delete('b')
    await running.scanForMissing(serverIdOf(makeSeen('b')))
    await until(() => statuses().length === 2)
    world.delete('a')
    world.delete('c')
    await running.scanForMissing(serverIdOf(makeSeen('a')))
    await until(() => statuses().every((text) => text.endsWith(' unknown')))
    await until(() => !memory.attached.sync.is_running)
    const { scans } = counts
    await running.scanForMissing(serverIdOf(makeSeen('c')))
    await pause(50)
    assert.deepEqual([counts.scans, statuses()], [scans, ['a unknown', 'c unknown']])
  })

  test('rejects refreshes after several consecutive failures', async (t) => {
    const { memory, put, start, until, faults } = run(t)
    put(makeSeen('a'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    faults.open = unreachable
    running.requestScan(0)
    await until(() => memory.attached.sync.failures >= 5)
    await assert.rejects(running.refresh('any', referTo('a')), {
      class: 'ServiceUnavailable',
    })
  })
})

describe('an account whose source has events', () => {
  test('is watched before it is scanned, and stores each change at once', async (t) => {
    const { memory, put, start, until, statuses, channel, counts } = run(t, { hasEvents: true })
    put(makeSeen('a'), makeSeen('b'))
    start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { scans } = counts
    channel.tell({ present: [makeSeen('a', { status: 'ready' }), makeSeen('c')] })
    await until(() => statuses().includes('c running'))
    channel.tell({ gone: [makeSeen('b').key] })
    await until(() => statuses().length === 2)
    assert.deepEqual(statuses(), ['a ready', 'c running'])
    assert.equal(counts.scans, scans, 'no scan was needed for that')
  })

  test('prefers events to older pages of a scan', async (t) => {
    const world = run(t, { hasEvents: true })
    const { memory, put, start, until, statuses, channel, counts, faults } = world
    put(makeSeen('a'), makeSeen('b'), makeSeen('c'))
    const running = start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { scans } = counts
    const { promise, resolve } = Promise.withResolvers<void>()
    faults.hold = promise
    running.requestScan(0)
    await until(() => counts.scans > scans)
    // The scan has read its pages by now, and will tell of b, c and of no d.
    channel.tell({
      present: [makeSeen('b', { status: 'ready' }), makeSeen('d')],
      gone: [makeSeen('c').key],
    })
    await until(() => statuses().includes('d running'))
    const before = memory.attached.sync.finished_at
    resolve()
    await until(() => memory.attached.sync.finished_at !== before)
    assert.deepEqual(statuses(), ['a running', 'b ready', 'd running'])
    assert.equal(memory.sighted().length, 3)
  })

  for (const [name, isBack] of [
    ['stays deleted', false],
    ['is found by a scan if it is there again', true],
  ] as const) {
    test(`a server that a task deleted while an event was read ${name}`, async (t) => {
      const { memory, put, world, start, until, names, channel, counts } = run(t, {
        hasEvents: true,
      })
      put(makeSeen('a'), makeSeen('b'))
      const running = start()
      await until(() => memory.attached.sync.finished_at !== null && names().length === 2)
      // Only the stream, which is open then, tells of this one.
      channel.tell({ present: [makeSeen('d')] })
      await until(() => names().includes('d'))
      const { scans } = counts
      if (!isBack) world.delete('b')
      await running.recordReading(serverIdOf(makeSeen('b')), undefined)
      assert.ok(!names().includes('b'))
      channel.tell({ present: [makeSeen('b'), makeSeen('a', { status: 'ready' })] })
      const before = memory.attached.sync.finished_at
      const isScanned = () => counts.scans > scans && memory.attached.sync.finished_at !== before
      await until(() => isScanned() && names().includes('b') === isBack)
      // The next event is read after the deletion.
      channel.tell({ present: [makeSeen('b')] })
      await until(() => names().includes('b'))
    })
  }

  test('is scanned after the event stream was interrupted', async (t) => {
    const { memory, put, start, until, names, channel, counts } = run(t, { hasEvents: true })
    put(makeSeen('a'), makeSeen('b'))
    start()
    await until(() => memory.attached.sync.finished_at !== null)
    const { scans } = counts
    put(makeSeen('c'))
    channel.breakOff(unreachable)
    await until(() => counts.scans > scans && names().length === 3)
    // The stream works again.
    channel.tell({ gone: [makeSeen('c').key] })
    await until(() => names().length === 2)
  })

  for (const isHeardFirst of [true, false]) {
    const order = isHeardFirst ? 'events first' : 'scan first'
    test(`counts a connection lost by scan and events as one failure: ${order}`, async (t) => {
      const { put, start, until, channel, faults, memory, counts, logged } = run(t, {
        hasEvents: true,
        account: { period: 600 },
        random: () => 1,
      })
      put(makeSeen('a'), makeSeen('b'))
      const running = start()
      await until(() => memory.attached.sync.finished_at !== null)
      const held = Promise.withResolvers<void>()
      faults.hold = held.promise
      faults.scan = unreachable
      const { scans } = counts
      running.requestScan(Date.now())
      await until(() => counts.scans > scans)
      const lose = [() => channel.breakOff(unreachable), () => held.resolve()]
      for (const next of isHeardFirst ? lose : lose.toReversed()) {
        next()
        await pause(30)
      }
      await until(() => memory.attached.sync.failures > 0)
      await pause(30)
      const messages = logged.map(({ message }) => message)
      assert.ok(messages.includes('watching the source failed'))
      assert.equal(messages.filter((message) => message === 'sync failed').length, 1)
      assert.equal(memory.attached.sync.failures, 1)
    })
  }

  test('is scanned even if the event stream never opens', async (t) => {
    const { memory, start, until, faults, put } = run(t, { hasEvents: true })
    put(makeSeen('a'))
    faults.open = unreachable
    start()
    await pause(100)
    faults.open = undefined
    await until(() => memory.attached.sync.finished_at !== null)
  })
})
