import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerFacts } from '../domain/inventory/server-facts.ts'
import { epoch } from '../sources/simulator/life.ts'
import { createSimulator } from '../sources/simulator/simulator.ts'
import { createDemoLife } from './live-demo.ts'
import { batchSize, loadDemo, type RecordScan } from './load-demo.ts'

const projects = Array.from({ length: 12 }, (_, number) => ({ id: `project-${number}` }))
const servers = 5_500
const simulator = createSimulator({ seed: 3, servers, projects })
const moment = epoch + 86_400_000

/** An inventory that keeps what it is told, and fails when it has taken so many. */
function createKeeper(most = Number.POSITIVE_INFINITY) {
  const kept = new Map<string, ServerFacts>()
  const gone = new Set<string>()
  let atOnce = 0
  let mostAtOnce = 0
  const recordServers: RecordScan = async (scan) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    await new Promise((resolve) => setImmediate(resolve))
    atOnce -= 1
    if (kept.size >= most) throw new Error('killed')
    for (const facts of scan.present) {
      kept.set(facts.id, facts)
      gone.delete(facts.id)
    }
    for (const id of scan.gone) {
      assert.ok(kept.has(id), 'gone before it was there')
      gone.add(id)
    }
  }
  return { kept, gone, recordServers, mostAtOnce: () => mostAtOnce }
}

const wholeFleet = (at: number) => {
  const indices = Array.from({ length: servers }, (_, index) => index)
  return {
    present: indices.map((index) => simulator.describe(index, at)),
    gone: indices.filter((index) => simulator.isGone(index, at)).map(simulator.idOf),
  }
}

function assertHolds(keeper: ReturnType<typeof createKeeper>, at: number): void {
  const { present, gone } = wholeFleet(at)
  const expected = new Map(present.map((facts) => [facts.id, facts]))
  assert.deepEqual([...keeper.gone].sort(), gone.toSorted())
  assert.equal(keeper.kept.size, servers)
  for (const [id, facts] of keeper.kept) {
    if (!keeper.gone.has(id)) assert.deepEqual(facts, expected.get(id))
  }
}

describe('loading a demo', () => {
  test('brings in the whole fleet, a few batches at a time, and those that are gone as gone', async () => {
    const keeper = createKeeper()
    const notes: number[] = []
    await loadDemo({
      simulator,
      moment,
      from: 0,
      recordServers: keeper.recordServers,
      onLoaded: async (loaded) => void notes.push(loaded),
    })
    assertHolds(keeper, moment)
    assert.ok(keeper.gone.size > 0)
    assert.equal(keeper.mostAtOnce(), 2)
    assert.equal(notes.at(-1), servers)
    assert.deepEqual(
      notes.toSorted((a, b) => a - b),
      notes,
    )
  })

  test('goes on after a kill where it was, without a gap', async () => {
    const keeper = createKeeper(2 * batchSize)
    let noted = 0
    const load = (recordServers: RecordScan) =>
      loadDemo({
        simulator,
        moment,
        from: noted,
        recordServers,
        onLoaded: async (loaded) => {
          noted = loaded
        },
      })
    await assert.rejects(load(keeper.recordServers), /killed/)
    assert.ok(noted < servers)
    for (let index = 0; index < noted; index += 1) {
      assert.ok(keeper.kept.has(simulator.idOf(index)), `${index} was noted, but is not there`)
    }

    const rest = createKeeper()
    await load(rest.recordServers)
    assert.equal(noted, servers)
    for (const [id, facts] of rest.kept) keeper.kept.set(id, facts)
    for (const id of rest.gone) keeper.gone.add(id)
    assertHolds(keeper, moment)
  })

  test('of a fleet that is in already does nothing', async () => {
    await loadDemo({
      simulator,
      moment,
      from: servers,
      recordServers: () => assert.fail('nothing is to be recorded'),
      onLoaded: () => assert.fail('nothing is to be noted'),
    })
  })
})

describe('the life of a demo', () => {
  function createLife(start: number) {
    const keeper = createKeeper()
    let now = start
    const warnings: unknown[] = []
    let fails = false
    const moments: number[] = []
    const life = createDemoLife({
      simulator,
      recordServers: async (scan) => {
        if (fails) throw new Error('the storage is away')
        // Of those that are gone a life begins to tell only what it has told before.
        for (const id of scan.gone) keeper.kept.set(id, {} as ServerFacts)
        await keeper.recordServers(scan)
      },
      clock: () => now,
      logger: { warn: (...words: unknown[]) => warnings.push(words) },
      since: start,
      onLived: async (moment) => void moments.push(moment),
    })
    return {
      keeper,
      warnings,
      moments,
      life,
      fail: (does: boolean) => (fails = does),
      pass: async (milliseconds: number) => {
        now += milliseconds
        await life.liveOn()
      },
    }
  }

  test('writes what has changed since the last step, and notes the moment', async () => {
    const { keeper, moments, pass } = createLife(moment)
    await pass(60_000)
    const { present, gone } = simulator.changesBetween(moment, moment + 60_000)
    assert.ok(present.length > 0)
    assert.deepEqual(
      present.filter(({ id }) => !keeper.kept.has(id)),
      [],
    )
    assert.deepEqual([...keeper.gone], gone)
    assert.deepEqual(moments, [moment + 60_000])
  })

  test('tries again what failed, and warns', async () => {
    const { keeper, warnings, moments, pass, fail } = createLife(moment)
    fail(true)
    await pass(30_000)
    assert.equal(warnings.length, 1)
    assert.deepEqual([keeper.kept.size, moments.length], [0, 0])
    fail(false)
    await pass(30_000)
    const { present } = simulator.changesBetween(moment, moment + 60_000)
    for (const facts of present) assert.deepEqual(keeper.kept.get(facts.id), facts)
    assert.equal(warnings.length, 1)
  })

  test('after a long absence catches up with some, as they are now', async () => {
    const { keeper, pass } = createLife(moment)
    const absence = 30 * 86_400_000
    await pass(absence)
    const now = moment + absence
    assert.ok(keeper.kept.size > 500 && keeper.kept.size < 4_000, String(keeper.kept.size))
    // Nobody stays in the middle of what they were doing.
    for (const { id } of simulator.changesBetween(moment, moment + 5_000).present) {
      assert.ok(keeper.kept.has(id))
    }
    const expected = new Map(wholeFleet(now).present.map((facts) => [facts.id, facts]))
    for (const [id, facts] of keeper.kept) {
      if (!keeper.gone.has(id)) assert.deepEqual(facts, expected.get(id))
    }
  })

  test('ends when it is stopped', async () => {
    const { life } = createLife(moment)
    life.start()
    await life.stop()
  })
})
