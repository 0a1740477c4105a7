import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import {
  createMemorySync,
  makeAccount,
  makeSeen,
  scanInto,
  type MemorySync,
  type ScanCircumstances,
} from '../../testing/inventory-world/in-memory-sync.ts'
import { batchSize } from './scan-writer.ts'
import { SourceError, UnconfirmedAbsence } from './source-error.ts'
import { runsInLane } from '../../testing/lanes.ts'
import type {
  FailedPart,
  ReportedServer,
  ScanPage,
  ServerReference,
  Source,
  SourceUpdate,
} from './source.ts'
import { serverIdOf } from './to-server-facts.ts'
import { unreadableWarning } from './warning-texts.ts'

const fails = () => {
  throw new SourceError('incomplete', 'It stopped in the middle.')
}
const page = (...present: readonly ReportedServer[]): SourceUpdate => ({ present, gone: [] })
const pageOf = (...names: readonly string[]) => page(...names.map((name) => makeSeen(name)))
const end = (...names: readonly string[]): SourceUpdate => ({
  present: [],
  gone: names.map((name) => makeSeen(name).key),
})
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, number) => `s${String(from + number).padStart(4, '0')}`)

type Page = ScanPage | (() => unknown)

interface Circumstances extends ScanCircumstances {
  /** Reads missing servers before they are removed. By default, they do not exist. */
  readonly get?: Source['get']
  readonly getMany?: Source['getMany']
}

/** Scans a source that reports these pages. Functions among them are called in their place. */
async function scan(
  sync: MemorySync,
  pages: readonly Page[],
  { get, getMany, ...circumstances }: Circumstances = {},
) {
  const source: Source = {
    title: 'memory',
    async *scan() {
      for (const next of pages) {
        if (typeof next === 'function') await next()
        else yield next
      }
    },
    get: get ?? (async () => undefined),
    ...(getMany && { getMany }),
    close: async () => {},
  }
  return await scanInto(sync, source, circumstances)
}

const namesOf = (sync: MemorySync) => sync.present().map(({ name }) => name)

const statusesOf = (sync: MemorySync) => sync.present().map(({ status }) => status)

describe('a scan', () => {
  test('stores all servers, and the next one only changes', async () => {
    const sync = createMemorySync()
    const first = await scan(sync, [pageOf('a', 'b'), pageOf('c')])
    assert.deepEqual(first.counts, { seen: 3, created: 3, changed: 0, gone: 0 })
    const [revisions, notes] = [sync.revisions(), sync.sightingWrites()]
    const second = await scan(sync, [pageOf('c', 'a'), pageOf('b')])
    assert.deepEqual(second.counts, { seen: 3, created: 0, changed: 0, gone: 0 })
    assert.deepEqual([sync.revisions(), sync.sightingWrites()], [revisions, notes])
    const third = await scan(sync, [page(makeSeen('a', { status: 'ready' })), pageOf('b', 'd')])
    assert.deepEqual(third.counts, { seen: 3, created: 1, changed: 1, gone: 1 })
    assert.deepEqual(namesOf(sync), ['a', 'b', 'd'])
    assert.equal(sync.present()[0]?.status, 'ready')
  })

  test('cuts servers that are too large, tells which, and writes them early', async () => {
    const sync = createMemorySync()
    const tags = Object.fromEntries(range(0, 60).map((key) => [key, 'x'.repeat(4_096)]))
    const cut = { tags: { ...tags, long: 'x'.repeat(5_000) } }
    const large = [makeSeen('cut', cut), ...range(0, 49).map((name) => makeSeen(name, { tags }))]
    let written = 0
    const note = async () => {
      await nextTurn()
      await nextTurn()
      written = sync.present().length
    }
    const first = await scan(sync, [page(...large), note, pageOf('a')])
    assert.deepEqual([...first.cut.values()], ['cut'])
    assert.ok(written > 0 && written < 50, `${written} servers`)
    assert.equal(sync.present().length, 51)
    // Also where the report is unchanged.
    const second = await scan(sync, [page(...large), pageOf('a')])
    assert.deepEqual([second.counts.changed, [...second.cut.values()]], [0, ['cut']])
  })

  test('tells which hosts, networks, regions and zones are cut', async () => {
    const long = 'x'.repeat(5_000)
    for (const kind of ['hosts', 'networks', 'cloudregions', 'zones']) {
      const [good, bad] = [
        { id: 'a', name: 'a', external_id: 'x' },
        { id: 'b', name: 'b', external_id: long },
      ]
      const resources = { [kind]: [good, bad] }
      const { cut } = await scan(createMemorySync(), [{ ...page(), resources }])
      assert.deepEqual([...cut], [[`${kind} b`, 'b']])
    }
  })

  test('that fails removes no servers and keeps the pages before the error', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c', 'd')])
    // More than a batch: what fills one is written while the source is still telling.
    const told = range(0, batchSize + 100)
    await assert.rejects(scan(sync, [pageOf('a', ...told), fails, pageOf('b')]), SourceError)
    const names = namesOf(sync)
    for (const name of ['a', 'b', 'c', 'd']) assert.ok(names.includes(name))
    assert.ok(names.length >= 4 + batchSize - 1)
    assert.ok(sync.sighted().every(({ missed }) => missed === 0))
    await scan(sync, [pageOf('a', 'b', 'c', ...told)])
    assert.deepEqual(namesOf(sync), ['a', 'b', 'c', ...told])
  })

  test('of a slow source stores servers every second', async () => {
    const sync = createMemorySync()
    let now = 0
    const seen: string[][] = []
    const after = (time: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(namesOf(sync))
      now += time
    }
    const pages = [
      after(900),
      pageOf('a'),
      after(100),
      pageOf('b'),
      after(0),
      pageOf('c'),
      after(0),
    ]
    await scan(sync, pages, { now: () => now })
    assert.deepEqual(seen, [[], [], ['a', 'b'], ['a', 'b']])
    assert.deepEqual(namesOf(sync), ['a', 'b', 'c'])
  })

  test('reads no further page while all write permits are taken', async () => {
    const sync = createMemorySync()
    const releases = await Promise.all(Array.from({ length: 3 }, () => sync.writePermits.acquire()))
    const many = (from: number) =>
      pageOf(...Array.from({ length: batchSize }, (_, index) => `s${from + index}`))
    let asked = 0
    const count = async () => void (asked += 1)
    const scanning = scan(sync, [count, many(0), count, many(batchSize), count])
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(asked, 1)
    for (const release of releases) release()
    await scanning
    assert.equal(asked, 3)
    assert.equal(sync.present().length, 2 * batchSize)
    // All servers are back, so the limit starts again.
    await Promise.all(Array.from({ length: 3 }, () => sync.writePermits.acquire()))
  })

  test('that is cancelled removes no servers, even if its source ends without an error', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c')])
    const ending = new AbortController()
    const scanning = scan(sync, [pageOf('a', 'b'), () => ending.abort()], {
      signal: ending.signal,
    })
    await assert.rejects(scanning)
    assert.deepEqual(namesOf(sync), ['a', 'b', 'c'])
  })

  test('that misses most servers sets them to unknown until enough scans have missed them', async () => {
    const sync = createMemorySync()
    const all = pageOf('a', 'b', 'c', 'd', 'e')
    await scan(sync, [all])
    const first = await scan(sync, [pageOf('a')], { now: 1_000, hold: 500 })
    assert.deepEqual([first.held.length, first.counts.gone, first.counts.changed], [4, 0, 4])
    assert.deepEqual(statusesOf(sync), ['running', 'unknown', 'unknown', 'unknown', 'unknown'])
    const revisions = sync.revisions()
    // One returns; the others are still most.
    const second = await scan(sync, [pageOf('a', 'b')], { now: 1_100, hold: 500 })
    assert.deepEqual([second.held.length, second.counts.gone, second.counts.changed], [3, 0, 1])
    assert.equal(sync.revisions(), revisions + 1, 'servers that are still missing are not written')
    assert.deepEqual(statusesOf(sync), ['running', 'running', 'unknown', 'unknown', 'unknown'])
    // The third scan, but too early; then late enough.
    const third = await scan(sync, [pageOf('a', 'b')], { now: 1_499, hold: 500 })
    assert.deepEqual([third.held.length, third.counts.gone], [3, 0])
    const writes = sync.sightingWrites()
    await scan(sync, [pageOf('a', 'b')], { now: 1_499, hold: 500 })
    assert.equal(sync.sightingWrites(), writes, 'from then on only the time counts')
    const fourth = await scan(sync, [pageOf('a', 'b')], { now: 1_500, hold: 500 })
    assert.deepEqual([fourth.held.length, fourth.counts.gone], [0, 3])
    assert.deepEqual(namesOf(sync), ['a', 'b'])
  })

  test('ends the hold of denied servers when at most half are missing', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c')])
    const first = await scan(sync, [pageOf('a')], { now: 1_000, hold: 500 })
    assert.deepEqual([first.held.length, first.counts.gone], [2, 0])
    const second = await scan(sync, [pageOf('a', 'b')], { now: 1_001, hold: 500 })
    assert.deepEqual([second.held.length, second.counts.gone], [0, 1])
    assert.deepEqual(statusesOf(sync), ['running', 'running'])
  })

  test('a server that the source cannot decide about is held alone', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c', 'hidden', 'gone')])
    const getMany = async (some: readonly ServerReference[]) => {
      if (some.some(({ name }) => name === 'hidden')) throw new UnconfirmedAbsence('Hidden.')
      return some.map(() => undefined)
    }
    const { held, counts } = await scan(sync, [pageOf('a', 'b', 'c')], { getMany })
    assert.deepEqual([held.length, counts.gone], [1, 1])
    assert.deepEqual(namesOf(sync), ['a', 'b', 'c', 'hidden'])
  })

  test('does not remove servers of a tenant that was not read at once', async () => {
    const sync = createMemorySync()
    const inTenant = (name: string, id: string) => ({ ...makeSeen(name), tenant: { id, name: id } })
    const [db, shop] = [inTenant('db', 'a'), inTenant('shop', 'b')]
    const [web, mail] = [inTenant('web', 'a'), inTenant('mail', 'a')]
    const of = (tenants: readonly string[], ...servers: ReportedServer[]) => ({
      ...page(...servers),
      tenants,
    })
    await scan(sync, [of(['a', 'b'], web, mail, db, shop)])
    const lost = await scan(sync, [of(['a'], web, mail)], { now: 1_000, hold: 500 })
    assert.deepEqual([lost.held.length, lost.counts.gone], [1, 1])
    assert.deepEqual(namesOf(sync), ['mail', 'shop', 'web'])
    assert.deepEqual(statusesOf(sync), ['running', 'unknown', 'running'])
    const found = await scan(sync, [of(['a', 'b'], web, mail, shop)], { now: 1_100, hold: 500 })
    assert.equal(found.held.length, 0)
    await scan(sync, [of(['a', 'b'], web, mail)], { now: 1_200, hold: 500 })
    assert.deepEqual(namesOf(sync), ['mail', 'web'])
  })

  test('holds servers for three consecutive scans, and a failed scan restarts the count', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b')])
    await scan(sync, [], { now: 1_000 })
    await scan(sync, [], { now: 2_000 })
    await assert.rejects(scan(sync, [fails]), SourceError)
    const anew = await scan(sync, [], { now: 3_000, isAfterFailure: true })
    assert.deepEqual(
      anew.held.map(({ missed, missingSince }) => [missed, missingSince]),
      [
        [1, 3_000],
        [1, 3_000],
      ],
    )
    await scan(sync, [], { now: 4_000 })
    assert.deepEqual(namesOf(sync), ['a', 'b'])
    assert.equal((await scan(sync, [], { now: 5_000 })).counts.gone, 2)
  })

  test('holds the servers of a region that misses most of them', async () => {
    const sync = createMemorySync()
    const of = (region: string, from: number, to: number) =>
      range(from, to).map((name) => makeSeen(name, { region_ext_id: region }))
    const [large, small] = [of('large', 0, 100), of('small', 100, 104)]
    await scan(sync, [page(...large, ...small)])
    const { held, counts } = await scan(sync, [page(...large.slice(2), ...small.slice(3))])
    assert.deepEqual([held.length, counts.gone], [3, 2], 'two of a hundred are gone at once')
    // More that are missing beside those held go as usual, unless they are most, too.
    assert.equal((await scan(sync, [page(...large.slice(3), ...small.slice(3))])).counts.gone, 1)
  })

  test('keeps the servers of a region that the source no longer has', async () => {
    const sync = createMemorySync()
    const [here, there] = ['here', 'there'].map((region) =>
      ['1', '2', '3', '4'].map((name) => makeSeen(region + name, { region_ext_id: region })),
    ) as [ReportedServer[], ReportedServer[]]
    const regions = (...names: readonly string[]) => ({ present: [], gone: [], regions: names })
    await scan(sync, [regions('here', 'there'), page(...here, ...there)])
    const less = (isSilent: boolean) =>
      scan(sync, [regions('here'), page(...here.slice(1))], { isSilent: () => isSilent })
    const { failed, unreadServers, held, counts } = await less(false)
    assert.deepEqual(
      [failed.map(({ region }) => region), unreadServers, held, counts.gone],
      [['there'], 4, [], 1],
    )
    for (let again = 0; again < 4; again += 1) await less(false)
    assert.deepEqual(statusesOf(sync), Array(7).fill('running'))
    await less(true)
    assert.deepEqual(statusesOf(sync), [...Array(3).fill('running'), ...Array(4).fill('unknown')])
    // Where the administrator chooses the regions, the servers of others are removed, though they exist.
    const given = { ...regions('here'), areRegionsGiven: true }
    const get = async ({ externalId }: { externalId: string }) => makeSeen(externalId)
    const chosen = () => scan(sync, [given, page(...here.slice(1))], { get })
    await chosen()
    assert.equal((await chosen()).held.length, 4)
    assert.equal((await chosen()).counts.gone, 4)
  })

  test('removes only what the source confirms as gone, if its lists can lack servers', async () => {
    const sync = createMemorySync()
    const all = range(0, 8)
    const [gone, found, unread] = ['s0000', 's0001', 's0002']
    await scan(sync, [pageOf(...all)])
    const seen: string[] = []
    const get: Source['get'] = async ({ externalId }) => {
      seen.push(externalId)
      if (externalId === gone) return undefined
      if (externalId === unread) return { key: makeSeen(unread).key, name: unread, reason: 'down' }
      return makeSeen(externalId, { status: 'ready' })
    }
    const first = await scan(sync, [pageOf(...all.slice(3))], { get })
    assert.deepEqual(seen.sort(), [gone, found, unread])
    assert.deepEqual([first.counts.seen, first.counts.gone, first.held], [7, 1, []])
    assert.deepEqual(
      first.unreadable.map(({ name }) => name),
      [unread],
    )
    assert.deepEqual(namesOf(sync), all.slice(1))
    assert.deepEqual(statusesOf(sync).slice(0, 3), ['ready', 'unknown', 'running'])
  })

  test('holds missing servers about which the source cannot be asked, and reads few of them', async () => {
    const sync = createMemorySync()
    const all = range(0, 450)
    await scan(sync, [pageOf(...all)])
    let reads = 0
    const failing = async () => {
      reads += 1
      throw new SourceError('failed', 'It has an error.')
    }
    const lacking = [pageOf('s0000', ...all.slice(201))]
    for (const now of [0, 500, 1_000, 1_499]) {
      const { counts, held } = await scan(sync, lacking, { get: failing, hold: 1_500, now })
      assert.deepEqual([counts.gone, held.length], [0, 200])
    }
    assert.ok(reads <= 4 * 12, 'after a few errors of a scan the others are not read')
    assert.equal(sync.present().length, 450)
    await scan(sync, lacking, { get: failing, hold: 1_500, now: 1_500 })
    assert.equal(sync.present().length, 250)
  })

  test('removes no server by a list that turns out to be incomplete', async () => {
    const sync = createMemorySync()
    const all = range(0, 900)
    await scan(sync, [pageOf(...all)])
    const get = async ({ externalId }: ServerReference) => makeSeen(externalId)
    // Too many to ask about all of them, and each of them exists.
    for (let now = 0; now < 10_000; now += 1_000) {
      await scan(sync, [pageOf(...all.slice(600))], { get, hold: 1_500, now })
    }
    assert.equal(sync.present().length, 900)
  })

  test('reads the other missing servers if one has an error', async () => {
    const sync = createMemorySync()
    const all = range(0, 80)
    await scan(sync, [pageOf(...all)])
    const get = async ({ externalId }: ServerReference) => {
      if (externalId === 's0000') throw new SourceError('failed', 'It has an error.')
      return undefined
    }
    const { counts, held } = await scan(sync, [pageOf(...all.slice(30))], { get })
    assert.deepEqual([counts.gone, held.length], [29, 1])
  })

  const answers = {
    gone: async () => undefined,
    exists: async (name: string) => makeSeen(name, { status: 'ready' }),
    unreadable: async (name: string) => ({ key: makeSeen(name).key, name, reason: 'down' }),
    undecided: async () => fails(),
    failed: async () => {
      throw new SourceError('failed', 'It has an error.')
    },
  }
  for (const isBatch of [false, true]) {
    const most = isBatch ? 2_000 : 200
    for (const [answer, get] of Object.entries(answers)) {
      for (const [missing, others] of [
        [1, 3],
        [4, 5],
        [5, 4],
        ...(isBatch ? [] : [[200, 200] as const, [201, 201] as const]),
      ] as const) {
        test(`that misses ${missing} of ${missing + others} reads them ${isBatch ? 'together' : 'one by one'}: ${answer}`, async () => {
          const sync = createMemorySync()
          const all = range(0, missing + others)
          const lacking = [pageOf(...all.slice(missing))]
          await scan(sync, [pageOf(...all)])
          let reads = 0
          const read = async ({ externalId }: ServerReference) => {
            reads += 1
            return await get(externalId)
          }
          const getMany = (some: readonly ServerReference[]) => Promise.all(some.map(read))
          const circumstances = { get: read, ...(isBatch && { getMany }) }
          const { counts, held, unlisted } = await scan(sync, lacking, circumstances)
          const isAsked = missing <= most
          const isFound = isAsked && (answer === 'exists' || answer === 'unreadable')
          const isGone = isAsked && answer === 'gone' && missing <= others
          assert.deepEqual(
            [counts.gone, unlisted.length, held.length],
            [isGone ? missing : 0, isFound ? missing : 0, isGone || isFound ? 0 : missing],
          )
          if (!isAsked) assert.equal(reads, 0)
          const statuses = new Set(statusesOf(sync).slice(0, isGone ? 0 : missing))
          const shown = isFound && answer === 'exists' ? 'ready' : 'unknown'
          assert.deepEqual([...statuses], isGone ? [] : [shown])
          // After the hold all are removed that do not exist.
          for (let again = 0; again < 4; again += 1) await scan(sync, lacking, circumstances)
          const exist = answer === 'exists' || answer === 'unreadable'
          assert.equal(sync.present().length, others + (exist ? missing : 0))
        })
      }
    }
  }

  for (const isBatch of [false, true]) {
    for (const [rekeyed, others] of [
      [1, 3],
      [3, 2],
      [4, 0],
    ] as const) {
      test(`replaces ${rekeyed} of ${rekeyed + others} servers that the source reports by other keys, read ${isBatch ? 'together' : 'one by one'}`, async () => {
        const sync = createMemorySync()
        const all = range(0, rekeyed + others)
        await scan(sync, [pageOf(...all)])
        const now = all.map((name, at) => ({
          ...makeSeen(name),
          ...(at < rekeyed && { key: ['memory', 'new', name] }),
        }))
        const get = async ({ externalId }: ServerReference) =>
          now.find(({ facts }) => facts.external_id === externalId)
        const getMany = (some: readonly ServerReference[]) => Promise.all(some.map(get))
        const circumstances = { get, ...(isBatch && { getMany }) }
        // A list without them does not say that they have other keys.
        const lacking = await scan(sync, [page(...now.slice(rekeyed))], circumstances)
        assert.deepEqual([lacking.held.length, lacking.unlisted], [rekeyed, []])
        for (let again = 0; again < 4; again += 1) {
          const { unlisted, counts } = await scan(sync, [page(...now)], circumstances)
          assert.deepEqual(unlisted, [])
          // The source has denied the old keys, so that only many of them are held.
          if (again === 0 && rekeyed <= others) assert.equal(counts.gone, rekeyed)
        }
        assert.deepEqual(
          sync
            .present()
            .map(({ id }) => id)
            .sort(),
          now.map(serverIdOf).sort(),
        )
      })
    }
  }

  test('leaves out servers of failed regions, which are neither missing nor removed', async () => {
    const regions = ['one', 'two', 'three']
    const serversOf = (region: string) =>
      ['1', '2', '3'].map((name) => makeSeen(`${region}${name}`, { region_ext_id: region }))
    const failedIn = (part: Omit<FailedPart, 'error'>): ScanPage => ({
      present: [],
      gone: [],
      failed: [{ ...part, error: new SourceError('failed', 'It has an error.') }],
    })
    for (const broken of ['', ...regions]) {
      for (const isPartlyRead of [false, true]) {
        for (const hasServers of [false, true]) {
          for (const deleted of regions) {
            const sync = createMemorySync()
            await scan(sync, [page(...regions.flatMap(serversOf))])
            const pages = regions.map((region) => {
              const isBroken = (broken === '' || broken === region) && !hasServers
              const there = serversOf(region).slice(region === deleted ? 1 : 0)
              return page(...(isBroken ? there.slice(0, isPartlyRead ? 2 : 0) : there))
            })
            const failure = failedIn({ region: broken, ...(hasServers && { hasServers }) })
            const scanOnce = (isSilent: boolean) =>
              scan(sync, [...pages, failure], { isSilent: () => isSilent, hold: 0 })
            const isUnread = !hasServers && (broken === '' || broken === deleted)
            for (let again = 0; again < 4; again += 1) {
              const { held, counts } = await scanOnce(false)
              assert.deepEqual([held.length, counts.gone], [0, again > 0 || isUnread ? 0 : 1])
              assert.ok(statusesOf(sync).every((status) => status === 'running'))
            }
            await scanOnce(true)
            const seen = new Set(pages.flatMap(({ present }) => present).map(serverIdOf))
            for (const { id, status } of sync.present()) {
              assert.equal(status, seen.has(id) ? 'running' : 'unknown')
            }
            assert.equal(sync.present().length, isUnread ? 9 : 8)
            // It works again, and all is as the source shows it.
            await scan(sync, [page(...regions.flatMap(serversOf))])
            assert.deepEqual(statusesOf(sync), Array(9).fill('running'))
          }
        }
      }
    }
  })

  test('says nothing about missing servers of a region that it could not read', async () => {
    const [here, there] = [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ].map((names, index) =>
      names.map((name) => makeSeen(name, { region_ext_id: `region ${index}` })),
    ) as [ReportedServer[], ReportedServer[]]
    const error = new SourceError('failed', 'It has an error.')
    const failed = { present: [], gone: [], failed: [{ region: 'region 1', error }] }
    const missedOf = (sync: MemorySync) => sync.sighted().map(({ missed }) => missed)
    for (const isConfirmed of [false, true]) {
      const sync = createMemorySync()
      await scan(sync, [page(...here, ...there)])
      for (const now of [1_000, 2_000]) await scan(sync, [page(...here)], { now })
      assert.deepEqual(missedOf(sync), [0, 0, 2, 2, 2])
      const confirmedUntil = isConfirmed ? 1_000 : 0
      await scan(sync, [page(...here), failed], { now: 3_000, confirmedUntil })
      assert.deepEqual(missedOf(sync), [0, 0, 0, 0, 0], 'purge is refused')
      // The count of scans starts again. A confirmation from before counts.
      const { held, counts } = await scan(sync, [page(...here)], { now: 4_000, confirmedUntil })
      assert.deepEqual([held.length, counts.gone], isConfirmed ? [0, 3] : [3, 0])
      assert.ok(held.every(({ missed, missingSince }) => missed === 1 && missingSince === 4_000))
    }
  })

  test('keeps a server whose region is not known while any region cannot be read', async () => {
    const sync = createMemorySync()
    const here = ['here', 'here', 'here', '', ''].map((region_ext_id, number) =>
      makeSeen(`s${number}`, { region_ext_id }),
    )
    await scan(sync, [page(makeSeen('lost'), ...here)])
    const error = new SourceError('failed', 'It has an error.')
    const failed = [{ region: 'there', error }]
    for (let again = 0; again < 4; again += 1) {
      const { unreadServers, held } = await scan(sync, [{ ...page(...here), failed }])
      assert.deepEqual([unreadServers, held.length, sync.present().length], [1, 0, 6])
    }
    assert.equal((await scan(sync, [page(...here)])).counts.gone, 1)
  })

  test('does not count a confirmation for servers that it no longer shows as missing', async () => {
    for (const isSilent of [false, true]) {
      const sync = createMemorySync()
      const [here, there] = ['here', 'there'].map((region) =>
        range(0, 5).map((name) => makeSeen(region + name, { region_ext_id: region })),
      ) as [ReportedServer[], ReportedServer[]]
      const undecided = { get: async () => fails(), isSilent: () => isSilent }
      const error = new SourceError('failed', 'It has an error.')
      const failed = { present: [], gone: [], failed: [{ region: 'there', error }] }
      await scan(sync, [page(...here, ...there)])
      const first = await scan(sync, [page(...here)], { ...undecided, now: 1_000, hold: 1e6 })
      assert.equal(first.held.length, 5)
      const lacking = [page(...here.slice(1)), failed]
      const second = await scan(sync, lacking, { ...undecided, now: 2_000, hold: 1e6 })
      assert.deepEqual(
        second.held.map(({ missingSince }) => missingSince),
        [2_000],
        'the administrator is shown one server',
      )
      await sync.accounts.confirmGone('account', [] as never)
      const confirmedUntil = sync.attached.sync.confirmed_gone
      const circumstances = { ...undecided, confirmedUntil, hold: 1e6 }
      const third = await scan(sync, lacking, { ...circumstances, now: 3_000 })
      const fourth = await scan(sync, [page(...here.slice(1))], { ...circumstances, now: 4_000 })
      assert.deepEqual([third.counts.gone, fourth.counts.gone, fourth.held.length], [1, 0, 5])
    }
  })

  test('sets the servers of a silent region to unknown, whatever their last report was', async () => {
    const names = ['a', 'b', 'c']
    const error = new SourceError('failed', 'It has an error.')
    const failed = { present: [], gone: [], failed: [{ region: '', error }] }
    const silent = { isSilent: () => true }
    const sync = createMemorySync()
    await scan(sync, [pageOf(...names)])
    // Such as after a change of the account, or a takeover.
    const changes = { accountId: 'account', fence: { revision: 1 }, lost: [] }
    const seen = sync.sighted().map((sighting) => ({ ...sighting, digest: '' }))
    await sync.serverWriter.write([], [], { ...changes, seen })
    await scan(sync, [failed], silent)
    assert.deepEqual(statusesOf(sync), Array(3).fill('unknown'))
    assert.ok(sync.present().every((server) => server.host_service_status === 'offline'))
    const [revisions, writes] = [sync.revisions(), sync.sightingWrites()]
    await scan(sync, [failed], silent)
    assert.deepEqual([sync.revisions(), sync.sightingWrites()], [revisions, writes])
    await scan(sync, [pageOf(...names)])
    assert.deepEqual(statusesOf(sync), Array(3).fill('running'))
  })

  test('leaves out only the servers of a failed tenant in its region', async () => {
    const tenants = ['t1', 't2', 't3']
    const places = ['one', 'two'].flatMap((region) => tenants.map((id) => [region, id] as const))
    const serversOf = places.flatMap(([region_ext_id, id]) =>
      [1, 2, 3].map((number) => ({
        ...makeSeen(`${region_ext_id} ${id} ${number}`, { region_ext_id }),
        tenant: { id, name: id },
      })),
    )
    // t3 was not read for another reason, such as a failed login of the project that reads all.
    const read = tenants.slice(0, 2)
    for (const region of ['', 'one']) {
      for (const tenant of tenants) {
        const sync = createMemorySync()
        await scan(sync, [page(...serversOf)])
        const error = new SourceError('failed', 'It has an error.')
        const there = serversOf.filter(({ facts }) => !facts.name.endsWith('1'))
        const failed = [{ region, tenant, error }]
        const pages = [{ ...page(...there), tenants: read, failed }]
        const { counts, held, unreadServers } = await scan(sync, pages)
        const isUnread = ([place, id]: (typeof places)[number]) =>
          (region === '' || region === place) && (id === tenant || id === 't3')
        const kept = places.filter(isUnread).length
        const waiting = places.filter((each) => each[1] === 't3' && !isUnread(each)).length
        assert.deepEqual(
          [unreadServers, held.length, counts.gone],
          [kept, waiting, 6 - kept - waiting],
          `${region} ${tenant}`,
        )
      }
    }
  })

  test('removes missing servers at once if they are at most half', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c', 'd')])
    assert.deepEqual((await scan(sync, [pageOf('a', 'b')])).counts.gone, 2)
    assert.deepEqual(namesOf(sync), ['a', 'b'])
  })

  test('removes any number of servers that the source reports as gone', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c')])
    const { counts, held } = await scan(sync, [end('a', 'b', 'c')])
    assert.deepEqual([counts.gone, held], [3, []])
    assert.deepEqual(namesOf(sync), [])
    assert.deepEqual(sync.sighted(), [], 'who has ended is not seen any more')
    // It goes on saying so for a while.
    const again = await scan(sync, [end('a', 'b', 'c')])
    assert.deepEqual([again.counts.gone, again.held], [0, []])
  })

  test('counts a server that is reported twice once, and stores the last report', async () => {
    const sync = createMemorySync()
    const pages = [pageOf('a', 'a', 'b'), page(makeSeen('a', { status: 'ready' }))]
    const { counts } = await scan(sync, pages)
    assert.deepEqual(counts, { seen: 2, created: 2, changed: 0, gone: 0 })
    assert.deepEqual(
      sync.present().map(({ name, status }) => [name, status]),
      [
        ['a', 'ready'],
        ['b', 'running'],
      ],
    )
  })

  test('counts two servers with the same name', async () => {
    const sync = createMemorySync()
    const twin = { ...makeSeen('a'), key: ['memory', 'other'] }
    assert.equal((await scan(sync, [page(makeSeen('a'), twin)])).counts.created, 2)
    assert.deepEqual(namesOf(sync), ['a', 'a'])
  })

  test('does not overwrite newer reports', async () => {
    const sync = createMemorySync()
    await scan(sync, [pageOf('a', 'b', 'c', 'd', 'e')])
    const newer = new Set(['a', 'b', 'x', 'd'].map((name) => serverIdOf(makeSeen(name))))
    const stale = [page(makeSeen('a', { status: 'ready' }), makeSeen('x')), end('b'), pageOf('c')]
    await scan(sync, [...stale, pageOf('e')], { isSuperseded: (id) => newer.has(id) })
    assert.deepEqual(
      sync.present().map(({ name, status }) => [name, status]),
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'running']),
    )
  })
})

/** What a source does next: a scan of this world, which breaks off at a page, or ends well. */
interface Turn {
  readonly world: readonly number[]
  readonly versions: readonly number[]
  readonly said: readonly number[]
  readonly breaksAt: number
}

const servers = 12
const pageSize = 3
const turn: fc.Arbitrary<Turn> = fc.record({
  world: fc.subarray(Array.from({ length: servers }, (_, number) => number)),
  versions: fc.array(fc.nat(2), { minLength: servers, maxLength: servers }),
  said: fc.subarray(Array.from({ length: servers }, (_, number) => number)),
  breaksAt: fc.oneof(fc.constant(99), fc.nat(5)),
})

test('scans of a source that changes and fails at random remove no server by mistake', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 8 }), async (turns) => {
      const sync = createMemorySync()
      const nameOf = (number: number) => `s${number}`
      /** Those there, and how many complete scans have missed each since it was last seen. */
      const missed = new Map<string, number>()
      const last = turns.at(-1)
      const finals = last ? Array.from({ length: 3 }, () => ({ ...last, breaksAt: 99 })) : []
      let isAfterFailure = false
      for (const { world, versions, said, breaksAt } of [...turns, ...finals]) {
        const pages: Page[] = []
        const told = world.map((number) =>
          makeSeen(nameOf(number), { description: String(versions[number]) }),
        )
        for (let at = 0; at < told.length; at += pageSize) {
          pages.push(page(...told.slice(at, at + pageSize)))
        }
        const ended = said.filter((number) => !world.includes(number)).map(nameOf)
        pages.push(end(...ended))
        const isBroken = breaksAt < pages.length
        if (isBroken) pages.splice(breaksAt, 0, fails)
        const before = new Set(namesOf(sync))
        await scan(sync, pages, { isAfterFailure }).catch((error: unknown) =>
          assert.ok(error instanceof SourceError),
        )
        if (isAfterFailure && !isBroken) {
          for (const [name, count] of missed) missed.set(name, Math.min(count, 0))
        }
        isAfterFailure = isBroken
        const after = namesOf(sync)

        assert.equal(new Set(after).size, after.length, 'nobody is there twice')
        const missing = [...before].filter(
          (name) => !world.map(nameOf).includes(name) && !ended.includes(name),
        )
        for (const name of before) {
          if (after.includes(name)) continue
          const isSaid = ended.includes(name) && !isBroken
          const isMissed = missing.includes(name) && !isBroken
          const expected = [...before].filter((other) => !ended.includes(other))
          const isMost = missing.length > expected.length / 2
          const isBelieved = !isMost || (missed.get(name) ?? 0) >= 2
          assert.ok(isSaid || (isMissed && isBelieved), `${name} is gone by mistake`)
        }
        if (isBroken) continue
        for (const name of world.map(nameOf)) assert.ok(after.includes(name))
        for (const name of ended) assert.ok(!after.includes(name))
        for (const name of after) {
          missed.set(name, missing.includes(name) ? (missed.get(name) ?? 0) + 1 : 0)
        }
      }
      const shown = sync.present().map(({ name, description }) => [name, description])
      const expected = (last?.world ?? [])
        .map((number) => [nameOf(number), String(last?.versions[number])])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
      assert.deepEqual(shown, expected)
      assert.equal(sync.sighted().length, expected.length)
    }),
    { numRuns: runsInLane(150) },
  )
})

describe('a server that cannot be read', () => {
  const unread = (name: string, reason: string): SourceUpdate => ({
    present: [],
    gone: [],
    unreadable: [{ key: makeSeen(name).key, name, reason }],
  })
  const shown = (sync: MemorySync) =>
    sync.present().map(({ name, status, metadata }) => [name, status, metadata['sys:read_error']])

  test('counts as seen, keeps its fields, and is unknown until it can be read again', async () => {
    const sync = createMemorySync()
    const odd = makeSeen('odd', { vcpu_count: 3, tags: { team: 'web' } })
    await scan(sync, [pageOf('a', 'b'), page(odd)])
    const { counts, unreadable } = await scan(sync, [pageOf('a', 'b'), unread('odd', 'too long')])
    assert.deepEqual(counts, { seen: 3, created: 0, changed: 1, gone: 0 })
    assert.deepEqual(
      unreadable.map(({ name, reason }) => [name, reason]),
      [['odd', 'too long']],
    )
    const server = sync.present().at(-1)
    assert.equal(server?.status, 'unknown')
    assert.equal(server?.vcpu_count, 3)
    assert.deepEqual(server?.metadata, { 'ext:team': 'web', 'sys:read_error': 'too long' })

    const revisions = sync.revisions()
    await scan(sync, [pageOf('a', 'b'), unread('odd', 'too long')])
    assert.equal(sync.revisions(), revisions, 'the same reason again is not written again')
    await scan(sync, [pageOf('a', 'b'), unread('odd', 'too deep')])
    assert.deepEqual(shown(sync).at(-1), ['odd', 'unknown', 'too deep'])
    await scan(sync, [pageOf('a', 'b'), page(odd)])
    assert.deepEqual(shown(sync).at(-1), ['odd', 'running', undefined])
  })

  test('is not created if it was never seen before', async () => {
    const sync = createMemorySync()
    const { counts, unreadable } = await scan(sync, [pageOf('a'), unread('new', 'too long')])
    assert.deepEqual([counts.seen, counts.created, unreadable.length], [2, 1, 1])
    assert.deepEqual(namesOf(sync), ['a'])
  })
})

test('the memory for servers that cannot be read is limited', async () => {
  const sync = createMemorySync()
  const known = range(0, 200)
  await scan(sync, [pageOf(...known)])
  const long = 'x'.repeat(100_000)
  const unreadable = range(0, 1_000).map((name) => {
    const { key } = makeSeen(name)
    return { key, name: long, reason: long }
  })
  const found = await scan(sync, [{ ...page(), unreadable }])
  assert.equal(found.unreadable.length, 1_000)
  assert.equal(found.unreadable.filter(({ name }) => name !== '').length, 100)
  assert.ok(JSON.stringify(found.unreadable).length < 300 * 4_096 + 1_000 * 100)
  // The reason is stored with each server that is known.
  const stored = sync.present().map(({ metadata }) => metadata['sys:read_error']?.length)
  assert.deepEqual(stored, Array(200).fill(4_096))
  const [warning] = unreadableWarning(found.unreadable)
  assert.deepEqual([warning?.count, warning?.text.endsWith('; and 997 more')], [1_000, true])
})

describe('a server whose tags or tenant could not be read', () => {
  const tenant = { id: 't1', name: 'shop' }
  const tags = { folder: 'a', team: 'web' }
  const full = { ...makeSeen('s', { tags }), tenant }
  /** What is left of the report without the field, and with the name of the tenant only. */
  const reports: readonly ReportedServer[] = [
    { ...makeSeen('s', { tags: { folder: 'a' } }), tenant, unread: ['tags'] },
    { ...makeSeen('s'), tenant, unread: ['tags'] },
    { ...makeSeen('s', { tags }), unread: ['tenant'] },
    { ...makeSeen('s', { tags }), tenant: { id: 't1', name: 't1' }, unread: ['tenant'] },
    { ...makeSeen('s'), unread: ['tags', 'tenant'] },
  ]
  const rules = [{ tag: 'team=web' }, { tenant: 'shop' }, { tenant: 'shop', tag: 'folder=a' }]
  const placeOf = (sync: MemorySync) => {
    const [server] = sync.present()
    return { ...server, update_version: 0, updated_at: '' }
  }

  test('keeps them and its project, whatever rule has chosen it', async () => {
    for (const rule of rules) {
      for (const report of reports) {
        const sync = createMemorySync(makeAccount({ mapping: [{ ...rule, project_id: 'theirs' }] }))
        await scan(sync, [page(full)])
        const before = placeOf(sync)
        assert.equal(before.project_id, 'theirs')
        for (let round = 0; round < 2; round += 1) {
          await scan(sync, [page(report)])
          assert.deepEqual(placeOf(sync), before, JSON.stringify([rule, report]))
          assert.equal(sync.sighted()[0]?.projectId, 'theirs')
        }
        // A change that arrives with such a report is stored as well.
        const stopped = { ...report, facts: { ...report.facts, status: 'ready' } }
        await scan(sync, [page(stopped)])
        assert.deepEqual(placeOf(sync), { ...before, status: 'ready' })
      }
    }
  })

  test('is moved by the tags that could be read, and by all when they can be read again', async () => {
    const mapping = [{ tag: 'folder=b', project_id: 'theirs' }]
    const sync = createMemorySync(makeAccount({ mapping }))
    await scan(sync, [page(full)])
    const moved = { ...makeSeen('s', { tags: { folder: 'b' } }), tenant, unread: ['tags'] as const }
    await scan(sync, [page(moved)])
    const { project_id, metadata } = placeOf(sync)
    assert.deepEqual([project_id, metadata?.['ext:team']], ['theirs', 'web'])
    await scan(sync, [page(full)])
    assert.equal(placeOf(sync).project_id, 'ours')
  })
})
