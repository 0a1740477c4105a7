import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import type { FaultyBackEnd } from './back-end.ts'
import { faultsOf } from './faults.ts'
import {
  operations,
  prepareServers,
  record,
  removeServers,
  runAction,
  runScan,
  type Cell,
  type Operation,
} from './run-cell.ts'
import { startWorld, type World } from './world.ts'

const sourceNames = ['EC2', 'vSphere', 'libvirt', 'OpenStack', 'Incus'] as const

export interface FaultySource {
  readonly name: (typeof sourceNames)[number]
  readonly start: (lifetime: Lifetime) => Promise<FaultyBackEnd>
  /** Cells that are tested often, such as `stop, StopInstances, 500`. */
  readonly sample: readonly string[]
}

const titleOf = ({ operation, recorded, fault }: Cell) =>
  [operation, recorded.call.name, fault].join(', ')

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

async function findCells(world: World, wanted: readonly Operation[]): Promise<Cell[]> {
  const cells: Cell[] = []
  const offered = new Set<Operation>(['scan', ...world.backEnd.actions])
  for (const operation of wanted.filter((one) => offered.has(one))) {
    for (const recorded of await record(world, operation)) {
      for (const fault of faultsOf(recorded)) cells.push({ operation, recorded, fault })
    }
  }
  return cells
}

/** The requests with the results of their faults, as a table in Markdown. */
function tableOf(source: string, results: ReadonlyMap<Cell, readonly string[]>): string {
  const rows = Map.groupBy(results, ([{ operation, recorded }]) =>
    [operation, recorded.call.name].join(' | '),
  )
  const lines = [...rows].map(([name, cells]) => {
    const failed = cells.filter(([, found]) => found.length > 0).map(([{ fault }]) => fault)
    return `| ${source} | ${name} | ${cells.length} | ${failed.length === 0 ? 'all hold' : `fails: ${failed.join(', ')}`} |`
  })
  return lines.join('\n')
}

/** Tests a source whose requests fail in each way: these cells, or all. */
export function testFaults({ name, start }: FaultySource, sample?: readonly string[]): void {
  const isElsewhere = chosen?.every(
    (parts) => !parts.includes(name) && sourceNames.some((other) => parts.includes(other)),
  )
  if (isElsewhere === true) return
  void test(`${name}: faults`, async (t) => {
    const world = await startWorld(t, start)
    const titles = chosen ?? sample?.map((title) => title.split(', '))
    const cells = (await findCells(world, operationsOf(titles))).filter((cell) =>
      chosen ? isChosen(name, titleOf(cell)) : (sample?.includes(titleOf(cell)) ?? true),
    )
    if (!chosen && sample) {
      assert.deepEqual(cells.map(titleOf).sort(), [...sample].sort(), 'a request is no longer sent')
    }
    const results = new Map<Cell, readonly string[]>()
    for (const some of Map.groupBy(cells, ({ operation }) => operation).values()) {
      for (const chunk of inChunks(some)) await testChunk(t, world, chunk, results)
    }
    t.diagnostic(`${cells.length} cells\n${tableOf(name, results)}`)
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
  const prepared = operation === 'scan' ? [] : await prepareServers(world, operation, cells.length)
  for (const [at, cell] of cells.entries()) {
    await t.test(titleOf(cell), async () => {
      const one = prepared[at]
      const running = one ? runAction(world, cell, one) : runScan(world, cell)
      const found = await running.catch((error: unknown) => [String(error)])
      world.backEnd.port.heal()
      results.set(cell, found)
      if (chosen && found.length > 0)
        process.stderr.write(`${titleOf(cell)}: ${found.join('; ')}\n`)
      assert.deepEqual(found, [])
    })
  }
  await removeServers(world, prepared)
}
