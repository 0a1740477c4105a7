import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { eventually } from '../../../testing/eventually.ts'
import { PlatformError } from '../../error.ts'
import { createMoments } from './moments.ts'
import { PendingMoment } from './pending-moment.ts'

/** Moments whose builds end when the test says so. Each commit has its own time. */
function startMoments({ isCopiedFast = true } = {}) {
  const builds = new Map<number, PromiseWithResolvers<void>>()
  const bases = new Map<number, number | undefined>()
  let redactions = 0
  let oldest = 1
  const closed: number[] = []
  let report: (progress: number) => void = () => {}
  const moments = createMoments<number>(
    {
      firstTime: async () => 1,
      commitAt: async (time) => time,
      newestCommit: async () => 100,
      oldestCommit: async () => oldest,
      redactions: async () => redactions,
      isCopiedFast,
      async build(commit, base, _, onProgress) {
        bases.set(commit, base?.commit)
        const build = Promise.withResolvers<void>()
        builds.set(commit, build)
        report = onProgress
        await build.promise
        return {
          inventory: commit,
          async close() {
            closed.push(commit)
          },
        }
      },
    },
    () => 200,
  )
  /** Lets the build of a moment end, once it has begun. */
  async function finish(commit: number): Promise<void> {
    await eventually('the build begins', () => builds.has(commit))
    builds.get(commit)?.resolve()
    builds.delete(commit)
  }
  async function read(time: number, user = 'ada') {
    const opening = moments.at(time, { user, patience: undefined })
    await finish(time)
    return await opening
  }
  async function fail(commit: number, error: Error): Promise<void> {
    await eventually('the build begins', () => builds.has(commit))
    builds.get(commit)?.reject(error)
    builds.delete(commit)
  }
  return {
    moments,
    closed,
    bases,
    finish,
    fail,
    read,
    report: (progress: number) => report(progress),
    redact: () => (redactions += 1),
    purge: (commit: number) => void (oldest = commit),
  }
}

const isTooMany = (error: unknown) =>
  error instanceof PlatformError && error.name !== '' && /Try again shortly/.test(error.message)

describe('moments', () => {
  let world: ReturnType<typeof startMoments>
  afterEach(() => world.moments.close())

  test('are built once, and shared by those who read them', async () => {
    world = startMoments()
    const sharing = world.moments.at(5, { user: 'bob', patience: undefined })
    const [first, second] = await Promise.all([world.read(5), sharing])
    assert.deepEqual([first.inventory, second.inventory], [5, 5])
    first.release()
    first.release()
    second.release()
    assert.deepEqual(world.closed, [])
  })

  test('tell their progress to clients that do not wait, and are built meanwhile', async () => {
    world = startMoments()
    const impatient = () => world.moments.at(7, { user: 'ada', patience: 100 })
    const pending = impatient()
    const reporting = setInterval(() => world.report(0.25), 10)
    await assert.rejects(pending, (error) => {
      assert.ok(error instanceof PendingMoment)
      assert.deepEqual([error.time, error.progress], [7, 0.25])
      return true
    })
    clearInterval(reporting)
    await world.finish(7)
    const { inventory, release } = await impatient()
    assert.equal(inventory, 7)
    release()
  })

  test('are few: one that is not read makes room, those that are read do not', async () => {
    world = startMoments()
    const held = []
    for (const [at, user] of ['ada', 'ada', 'bob', 'bob'].entries()) {
      held.push(await world.read(at + 1, user))
    }
    await assert.rejects(world.moments.at(9, { user: 'ada', patience: undefined }), isTooMany)
    await assert.rejects(world.moments.at(9, { user: 'eve', patience: undefined }), isTooMany)
    held[2]?.release()
    const { inventory } = await world.read(9, 'eve')
    assert.deepEqual([inventory, world.closed], [9, [3]])
  })

  test('are built again after a redaction, and removed when nobody reads them', async () => {
    world = startMoments()
    const read = await world.read(4)
    const held = await world.read(3, 'eve')
    held.release()
    world.redact()
    const again = await world.read(4, 'bob')
    assert.deepEqual([world.closed, world.bases.get(4)], [[3], undefined])
    again.release()
    read.release()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(world.closed, [3, 4])
  })

  test('that are built during a redaction, and for which nobody waits, are removed', async () => {
    world = startMoments()
    await assert.rejects(world.moments.at(6, { user: 'ada', patience: 10 }), PendingMoment)
    world.redact()
    const next = world.moments.at(7, { user: 'bob', patience: undefined })
    await world.finish(6)
    await world.finish(7)
    await next
    assert.deepEqual([world.closed, world.bases.get(7)], [[6], undefined])
  })

  test('are copied from the nearest one, or from the current inventory', async () => {
    world = startMoments()
    for (const time of [50, 56, 90, 52]) (await world.read(time)).release()
    assert.deepEqual(
      [...world.bases],
      [
        [50, undefined],
        [56, 50],
        [90, undefined],
        [52, 50],
      ],
    )
  })

  test('are not copied from one whose later changes are purged', async () => {
    world = startMoments()
    for (const time of [10, 20]) (await world.read(time)).release()
    world.purge(15)
    for (const time of [16, 12]) (await world.read(time)).release()
    assert.deepEqual([...world.bases].slice(2), [
      [16, 20],
      [12, 16],
    ])
    world.purge(30)
    ;(await world.read(31)).release()
    assert.equal(world.bases.get(31), undefined)
  })

  test('of the current inventory that are built twice at once are all removed', async () => {
    world = startMoments({ isCopiedFast: false })
    const readings = [50, 100].map((time) =>
      world.moments.at(time, { user: 'ada', patience: undefined }),
    )
    await world.finish(100)
    await world.finish(50)
    await world.finish(100)
    for (const { release } of await Promise.all(readings)) release()
    await world.moments.close()
    assert.deepEqual(
      world.closed.toSorted((a, b) => a - b),
      [50, 100, 100],
    )
  })

  test('are copied from one of the current inventory, if that is slow to copy', async () => {
    world = startMoments({ isCopiedFast: false })
    const reading = world.read(50)
    await world.finish(100)
    ;(await reading).release()
    for (const time of [10, 20, 30, 40, 60]) (await world.read(time)).release()
    assert.deepEqual(
      [...world.bases],
      [
        [100, undefined],
        [50, 100],
        [10, 50],
        [20, 10],
        [30, 20],
        [40, 30],
        [60, 40],
      ],
    )
    // The newest one stays, however long nobody reads it.
    assert.deepEqual(world.closed, [50, 10])
    assert.equal((await world.moments.at(100, { user: 'ada', patience: undefined })).inventory, 100)
  })

  test('tell the progress of the copy that they wait for', async () => {
    world = startMoments({ isCopiedFast: false })
    const reporting = setInterval(() => world.report(0.5), 10)
    await assert.rejects(world.moments.at(7, { user: 'ada', patience: 100 }), (error) => {
      assert.ok(error instanceof PendingMoment)
      assert.deepEqual([error.time, error.progress], [7, 0.45])
      return true
    })
    clearInterval(reporting)
    await world.finish(100)
    ;(await world.read(7)).release()
  })

  test('that cannot be built give their error to all who wait, and are built again', async () => {
    world = startMoments()
    const waiting = ['ada', 'bob'].map((user) => world.moments.at(8, { user, patience: undefined }))
    const outcomes = Promise.allSettled(waiting)
    await world.fail(8, new Error('no memory'))
    for (const outcome of await outcomes) {
      assert.match(String(outcome.status === 'rejected' && outcome.reason), /no memory/)
    }
    const { inventory, release } = await world.read(8)
    assert.equal(inventory, 8)
    release()
  })

  test('before the first change are refused', async () => {
    world = startMoments()
    await assert.rejects(
      world.moments.commitAt(0),
      /as_of is before the first recorded change, at 1970/,
    )
  })
})
