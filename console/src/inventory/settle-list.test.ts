import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { beginRequest, newestGeneration, type Generated } from '../api/generation.ts'
import { followRows } from '../api/queries/pages.ts'
import type { ValueCounts } from '../servers/value-counts.ts'
import { createSettledList, missingRows, type FollowedRows } from './settle-list.ts'
import { createStablePages, rowsIn, type LoadedPage } from './stable-pages.ts'

interface Row {
  readonly id: string
  readonly isRunning: boolean
}

/** A server starts or stops; undefined: it is deleted. */
interface Change {
  readonly id: string
  readonly isRunning: boolean | undefined
}

interface Answer extends Generated {
  readonly page?: LoadedPage<Row>
  readonly rows?: FollowedRows<Row>
  readonly counts?: ValueCounts
  readonly size?: number
}

const pageSize = 3
const visible = { first: 0, last: 2 * pageSize - 1 }
const ids = [...'abcdefgh']
const parts = ['page 0', 'page 1', 'counts', 'rows', 'size'] as const
type PartName = (typeof parts)[number]

/** The running servers of a fleet that changes, in a list of two pages whose responses come in any order. */
class Scene {
  readonly fleet = new Map(ids.slice(0, 6).map((id) => [id, true]))
  readonly #data = new Map<string, Answer>()
  readonly #inFlight = new Map<string, { data?: Answer; generation: number }>()
  readonly #merge = createStablePages<Row>({ pageSize, freshFor: 0, clock: () => 0 })
  readonly #settle = createSettledList<Row>()
  #missing: readonly string[] = []

  change({ id, isRunning }: Change): void {
    if (isRunning === undefined) this.fleet.delete(id)
    else this.fleet.set(id, isRunning)
  }

  #keyOf = (part: PartName) => (part === 'rows' ? `rows ${this.#missing.join('')}` : part)

  request(part: PartName): void {
    const key = this.#keyOf(part)
    if (this.#inFlight.has(key) || key === 'rows ') return
    const client = { getQueryData: () => this.#data.get(key) }
    const context = { client, queryKey: [key] } as unknown as Parameters<typeof beginRequest>[0]
    this.#inFlight.set(key, { generation: beginRequest(context) })
  }

  /** The API reads the fleet for a request. */
  async read(part: PartName): Promise<void> {
    const key = this.#keyOf(part)
    const request = this.#inFlight.get(key)
    if (!request || request.data) return
    const { generation } = request
    const all: Row[] = [...this.fleet].map(([id, isRunning]) => ({ id, isRunning }))
    const rows = all
      .filter(({ isRunning }) => isRunning)
      .toSorted((one, other) => one.id.localeCompare(other.id))
    const total = rows.length
    const page = (index: number) => ({
      generation,
      index,
      total,
      rows: rows.slice(index * pageSize, (index + 1) * pageSize),
    })
    const find = (found: readonly Row[]) => (some: readonly string[]) =>
      Promise.resolve(found.filter(({ id }) => some.includes(id)))
    const wanted = key.startsWith('rows') ? key.slice(5).split('') : []
    const data = {
      'page 0': { page: page(0) },
      'page 1': { page: page(1) },
      size: { size: this.fleet.size },
      counts: { counts: { generation, total, groups: {} } },
      rows: { rows: { generation, ...(await followRows(wanted, find(rows), find(all))) } },
    }
    this.#inFlight.set(key, { generation, data: { generation, ...data[part] } })
  }

  deliver(part: PartName): void {
    const key = this.#keyOf(part)
    const data = this.#inFlight.get(key)?.data
    if (!data) return
    this.#inFlight.delete(key)
    this.#data.set(key, data)
  }

  render() {
    const get = (key: string) => this.#data.get(key)
    const loaded = [get('page 0')?.page, get('page 1')?.page]
      .filter((page) => page !== undefined)
      .map((page) => ({ ...page, loadedAt: 1 }))
    const { shown } = this.#merge({ query: 'running', revision: 0, refreshedAt: 0 }, loaded)
    const rows = shown ? rowsIn(shown, visible, pageSize) : []
    this.#missing = missingRows(loaded, rows)
    const needed = parts.filter((part) => this.#keyOf(part) !== 'rows ')
    const generations = needed.map((part) => get(this.#keyOf(part))?.generation)
    const size = get('size')?.size
    const isComplete = generations.every((generation) => generation === newestGeneration())
    const counts = get('counts')?.counts
    const { settled, counts: shownCounts } = this.#settle(
      {
        key: shown?.key ?? '',
        pages: loaded,
        visible: rows,
        isAnswered: isComplete,
        followed: get(this.#keyOf('rows'))?.rows,
        size,
        counted: counts?.total,
      },
      [counts],
    )
    const totals = [...loaded.map(({ total }) => total), counts?.total]
    return { shown, rows, settled, counted: shownCounts[0]?.total, isComplete, totals, size }
  }

  check(): void {
    const { rows, settled, counted, isComplete, totals, size } = this.render()
    if (!settled) return
    if (!settled.isUpdating) {
      assert.ok(isComplete, 'older responses count as current')
      assert.equal(settled.size, size)
      assert.deepEqual(new Set(totals), new Set([settled.count]), 'responses contradict each other')
    }
    assert.ok(settled.size >= settled.count, 'more servers match than exist')
    if (counted !== undefined) assert.equal(counted, settled.count, 'filters and count differ')
    const shown = rows.map((row) => {
      const followed = settled.followed.get(row.id)
      return { id: row.id, row: followed?.row ?? row, state: followed?.state }
    })
    for (const { id, row, state } of shown)
      if (state !== 'gone') assert.equal(row.isRunning, state === undefined, `${id} is ${state}`)
    const distinct = new Set(shown.flatMap(({ id, state }) => (state ? [] : [id]))).size
    if (!settled.isUpdating) assert.ok(distinct <= settled.count, 'more rows than the count')
  }

  /** Requests what is older than the newest response, or everything, as the page does. */
  async refresh(between?: Change & { readonly after: PartName }): Promise<void> {
    this.render()
    const newest = newestGeneration()
    const isBehind = (part: PartName) => this.#data.get(this.#keyOf(part))?.generation !== newest
    const behind = parts.filter((part) => this.#keyOf(part) !== 'rows ' && isBehind(part))
    for (const part of behind.length > 0 ? behind : parts) {
      this.request(part)
      await this.read(part)
      if (between?.after === part) this.change(between)
    }
    for (const part of parts) {
      this.deliver(part)
      this.check()
    }
  }
}

const part = fc.constantFrom(...parts)
const change = { id: fc.constantFrom(...ids), isRunning: fc.constantFrom(true, false, undefined) }
const step = fc.oneof(
  fc.record({ do: fc.constant('refresh' as const), after: part, ...change }),
  fc.record({ do: fc.constant('request' as const), part }),
  fc.record({ do: fc.constant('read' as const), part }),
  fc.record({ do: fc.constant('deliver' as const), part }),
  fc.record({ do: fc.constant('change' as const), ...change }),
)

describe('the numbers and rows of a list', () => {
  it('follow a server that stops and starts again', async () => {
    const scene = new Scene()
    for (const [isRunning, state] of [
      [true, undefined],
      [false, 'unmatched'],
      [true, undefined],
      [undefined, 'gone'],
    ] as const) {
      scene.change({ id: 'c', isRunning })
      for (let round = 0; round < 3; round += 1) await scene.refresh()
      assert.equal(scene.render().settled?.followed.get('c')?.state, state)
    }
  })

  it('never contradict each other, in any order of responses, and are true in the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const scene = new Scene()
        let places: readonly string[] = []
        for (const one of steps) {
          if (one.do === 'refresh') await scene.refresh(one)
          else if (one.do === 'request') scene.request(one.part)
          else if (one.do === 'read') await scene.read(one.part)
          else if (one.do === 'deliver') scene.deliver(one.part)
          else scene.change(one)
          scene.check()
          const first = (scene.render().shown?.pages.get(0)?.rows ?? []).map(({ id }) => id)
          if (places.length > 0) assert.deepEqual(first, places, 'rows have moved')
          places = first
        }
        // Old requests end, then the rows that turned out to be missing are read.
        for (let round = 0; round < 6; round += 1) await scene.refresh()
        const { rows, settled, counted } = scene.render()
        const running = [...scene.fleet].filter(([, isRunning]) => isRunning).length
        assert.deepEqual(
          [settled?.count, settled?.size, settled?.isUpdating, counted],
          [running, scene.fleet.size, false, running],
        )
        for (const { id } of rows) {
          const isRunning = scene.fleet.get(id)
          const state = settled?.followed.get(id)?.state
          assert.equal(
            state,
            isRunning === undefined ? 'gone' : isRunning ? undefined : 'unmatched',
          )
        }
      }),
      { numRuns: 500, seed: 26 },
    )
  })
})
