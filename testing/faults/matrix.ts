import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import type { FaultyBackEnd } from './back-end.ts'
import { faultsOf, type RecordedCall } from './faults.ts'
import { isOffered, operations, type Operation } from './operations.ts'
import { prepareServers, record, removeServers, runAction, runScan, type Cell } from './run-cell.ts'
import { startWorld, type World } from './world.ts'

const sourceNames = ['EC2', 'vSphere', 'libvirt', 'OpenStack', 'Incus', 'LXD'] as const

export interface FaultySource {
  readonly name: (typeof sourceNames)[number]
  readonly start: (lifetime: Lifetime) => Promise<FaultyBackEnd>
  /** How many of it run side by side, each with a Muster of its own: a cell mostly waits. */
  readonly copies: number
  /** Cells that are tested often, such as `stop, StopInstances, 500`. */
  readonly sample: readonly string[]
}

const titleOf = ({ operation, recorded: { call, isSecond }, fault }: Cell) =>
  [operation, call.name, fault, ...(isSecond ? ['second request'] : [])].join(', ')

/** `FAULTS="stop, StopInstances, 500"` runs the cells that have all these parts; `;` separates several. */
const chosen = process.env['FAULTS']?.split(';').map((cell) => cell.trim().split(/\s*,\s*/))
const isChosen = (source: string, title: string) =>
  chosen?.some((parts) => {
    const own = new Set([source, ...title.split(', ')])
    return parts.every((part) => own.has(part))
  }) ?? true

/** Operations that no chosen cell has need no recording. */
function operationsOf(titles: readonly (readonly string[])[] | undefined): readonly Operation[] {
  const named = titles?.map((parts) => operations.filter((operation) => parts.includes(operation)))
  return named?.every((some) => some.length > 0)
    ? operations.filter((operation) => named.flat().includes(operation))
    : operations
}

/** Lets each world take the next item as soon as it is free. */
async function share<Item>(
  worlds: readonly World[],
  items: readonly Item[],
  work: (world: World, item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    worlds.map(async (world) => {
      for (const item of queue) await work(world, item)
    }),
  )
}

async function findCells(worlds: readonly World[], wanted: readonly Operation[]): Promise<Cell[]> {
  const [world] = worlds
  if (!world) return []
  const found = new Map<Operation, readonly RecordedCall[]>()
  const some = wanted.filter((operation) => isOffered(operation, world.backEnd))
  await share(worlds, some, async (world, operation) => {
    found.set(operation, await record(world, operation))
  })
  // All actions read by the same code, so all faults of all of them would double the time of the matrix.
  const readByActions = new Set<string>()
  return some.flatMap((operation) => {
    const calls = found.get(operation) ?? []
    const known = new Set(readByActions)
    if (operation !== 'scan') {
      for (const { call } of calls) if (!call.changes) readByActions.add(call.name)
    }
    return calls.flatMap((recorded) =>
      faultsOf(recorded, { isKnown: operation !== 'scan' && known.has(recorded.call.name) }).map(
        (fault) => ({ operation, recorded, fault }),
      ),
    )
  })
}

/** The operations with their cells and those that fail, as a table in Markdown. */
function tableOf(
  source: string,
  cells: readonly Cell[],
  results: ReadonlyMap<Cell, readonly string[]>,
): string {
  const rows = Map.groupBy(cells, ({ operation }) => operation)
  const lines = [...rows].map(([operation, some]) => {
    const requests = new Set(some.map(({ recorded }) => recorded.call.name)).size
    const ran = some.filter((cell) => results.has(cell))
    const failed = Map.groupBy(
      ran.filter((cell) => results.get(cell)?.length),
      ({ recorded }) => recorded.call.name,
    )
    const failures = [...failed].map(
      ([name, of]) => `${name}: ${of.map(({ fault }) => fault).join(', ')}`,
    )
    const columns = [source, operation, requests, some.length, ran.length]
    const result = failures.join('; ') || (ran.length === 0 ? 'not run' : 'all hold')
    return `| ${columns.join(' | ')} | ${result} |`
  })
  return `| source | operation | requests | cells | ran | failing |\n${lines.join('\n')}`
}

/** Tests a source whose requests fail in each way: these cells, or all. */
export function testFaults(
  { name, start, copies }: FaultySource,
  sample?: readonly string[],
): void {
  const isElsewhere = chosen?.every(
    (parts) => !parts.includes(name) && sourceNames.some((other) => parts.includes(other)),
  )
  if (isElsewhere === true) return
  void test(`${name}: faults`, { concurrency: true }, async (t) => {
    const worlds: World[] = []
    /** No more than there is work for: each start takes seconds of CPU time. */
    const startWorlds = async (tasks: number) => {
      const missing = Math.max(0, Math.min(copies, tasks) - worlds.length)
      const started = Array.from({ length: missing }, () => startWorld(t, start))
      worlds.push(...(await Promise.all(started)))
    }
    const titles = chosen ?? sample?.map((title) => title.split(', '))
    const wanted = operationsOf(titles)
    await startWorlds(wanted.length)
    const all = await findCells(worlds, wanted)
    const cells = all.filter((cell) =>
      chosen ? isChosen(name, titleOf(cell)) : (sample?.includes(titleOf(cell)) ?? true),
    )
    if (!chosen && sample) {
      assert.deepEqual(cells.map(titleOf).sort(), [...sample].sort(), 'a request is no longer sent')
    }
    const results = new Map<Cell, readonly string[]>()
    const chunks = [...Map.groupBy(cells, ({ operation }) => operation).values()].flatMap(inChunks)
    await startWorlds(chunks.length)
    await share(worlds, chunks, async (world, chunk) => {
      await testChunk(t, world, chunk, results)
      if (cells.length > chunkSize) {
        const { operation } = chunk[0] ?? {}
        const some = cells.filter((cell) => cell.operation === operation)
        const ran = some.filter((cell) => results.has(cell)).length
        process.stderr.write(`${name}, ${operation}: ${ran} of ${some.length} cells\n`)
      }
    })
    t.diagnostic(tableOf(name, all, results))
    if (!chosen && sample) assert.equal(results.size, cells.length, 'no request met a fault')
  })
}

const chunkSize = 8
const inChunks = (cells: readonly Cell[]): Cell[][] =>
  Array.from({ length: Math.ceil(cells.length / chunkSize) }, (_, at) =>
    cells.slice(at * chunkSize, (at + 1) * chunkSize),
  )

/** Tests cells of one operation, for which the servers are prepared together. */
async function testChunk(
  t: TestContext,
  world: World,
  cells: readonly Cell[],
  results: Map<Cell, readonly string[]>,
): Promise<void> {
  const operation = cells[0]?.operation ?? 'scan'
  const amount = operation === 'scan' ? 0 : cells.length
  const preparing = prepareServers(world, operation, amount)
  for (const [at, cell] of cells.entries()) {
    await t.test(titleOf(cell), async () => {
      const run = async () => {
        const one = (await preparing)[at]
        return await (one ? runAction(world, cell, one) : runScan(world, cell))
      }
      const found = await run().catch(async (error: unknown) => {
        // The cell may have ended between a kill and the start after it.
        await world.restart()
        return [String(error)]
      })
      world.backEnd.port.heal()
      if (!found) return
      results.set(cell, found)
      if (chosen && found.length > 0) {
        process.stderr.write(`${titleOf(cell)} (${world.engine}): ${found.join('; ')}\n`)
      }
      assert.ok(found.length === 0, found.join('\n'))
    })
  }
  await preparing.then((prepared) => removeServers(world, prepared)).catch(() => {})
}
