import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { beginRequest, newestGeneration, type Generated } from '../api/generation.ts'
import { followRows } from '../api/queries/pages.ts'
import { countsAgree } from '../servers/counts-agree.ts'
import { valuesIn, type ValueCounts } from '../servers/value-counts.ts'
import { createSettledList, missingRows, type FollowedRows } from './settle-list.ts'
import { createStablePages, rowsIn, type LoadedPage } from './stable-pages.ts'

const statuses = ['running', 'stopping', 'ready'] as const
type Status = (typeof statuses)[number]

interface Row {
  readonly id: string
  readonly status: Status
}

/** The new status of a server; undefined: it is deleted. */
interface Change {
  readonly id: string
  readonly status: Status | undefined
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
const parts = ['page 0', 'page 1', 'counts', 'statuses', 'rows', 'size'] as const
type PartName = (typeof parts)[number]
const queries = ['status:running', '', '-status:running'] as const
type Query = (typeof queries)[number]

const matches = (q: Query, { status }: Row) =>
  q === '' || (status === 'running') === (q === 'status:running')

const countStatuses = (rows: readonly Row[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  )

/** Lists of two pages of a fleet that changes, with responses that come in any order, or fail. */
class Scene {
  readonly fleet = new Map<string, Status>(ids.slice(0, 6).map((id) => [id, 'running']))
  readonly #data = new Map<string, Answer>()
  readonly #failed = new Set<string>()
  readonly #inFlight = new Map<string, { data?: Answer; generation: number }>()
  readonly #merge = createStablePages<Row>({ pageSize, freshFor: 0, clock: () => 0 })
  readonly #settle = createSettledList<Row>()
  readonly #queryOf = new Map<ValueCounts | undefined, Query>()
  q: Query = queries[0]
  #missing: readonly string[] = []
  /** The numbers may be of different moments: retries did not help, or a request failed. */
  #isMixed = false
  #hasCounts = false

  change({ id, status }: Change): void {
    if (status === undefined) this.fleet.delete(id)
    else this.fleet.set(id, status)
  }

  /** Undefined: the list does not need it. */
  #keyOf(part: PartName): string | undefined {
    if (part === 'size') return this.q === '' ? undefined : 'size'
    if (part === 'statuses') return this.q === '' ? undefined : 'statuses'
    if (part === 'rows' && this.#missing.length === 0) return undefined
    return `${part}|${this.q}|${part === 'rows' ? this.#missing.join('') : ''}`
  }

  #get = (part: PartName) => this.#data.get(this.#keyOf(part) ?? '')

  get #needed(): readonly PartName[] {
    return parts.filter((part) => this.#keyOf(part) !== undefined)
  }

  request(part: PartName): void {
    const key = this.#keyOf(part)
    if (key === undefined || this.#inFlight.has(key)) return
    const client = { getQueryData: () => this.#data.get(key) }
    const context = { client, queryKey: [key] } as unknown as Parameters<typeof beginRequest>[0]
    this.#inFlight.set(key, { generation: beginRequest(context) })
  }

  /** The API reads the fleet for a request. */
  async read(part: PartName): Promise<void> {
    const key = this.#keyOf(part) ?? ''
    const request = this.#inFlight.get(key)
    if (!request || request.data) return
    const { generation } = request
    const all: Row[] = [...this.fleet].map(([id, status]) => ({ id, status }))
    const rows = all
      .filter((row) => matches(this.q, row))
      .toSorted((one, other) => one.id.localeCompare(other.id))
    const total = rows.length
    const page = (index: number) => ({
      generation,
      index,
      total,
      rows: rows.slice(index * pageSize, (index + 1) * pageSize),
    })
    const count = (counted: readonly Row[]): ValueCounts => {
      const values = Object.entries(countStatuses(counted))
      const status = values.map(([value, number]) => ({ value, count: number }))
      return { generation, total: counted.length, groups: { status } }
    }
    const find = (found: readonly Row[]) => (some: readonly string[]) =>
      Promise.resolve(found.filter(({ id }) => some.includes(id)))
    const data = {
      'page 0': { page: page(0) },
      'page 1': { page: page(1) },
      size: { size: this.fleet.size },
      counts: { counts: count(rows) },
      statuses: { counts: count(all) },
      rows: { rows: { generation, ...(await followRows(this.#missing, find(rows), find(all))) } },
    }
    this.#inFlight.set(key, { generation, data: { generation, ...data[part] } })
  }

  deliver(part: PartName): void {
    const key = this.#keyOf(part) ?? ''
    const data = this.#inFlight.get(key)?.data
    if (!data) return
    this.#inFlight.delete(key)
    this.#failed.delete(key)
    this.#data.set(key, data)
  }

  fail(part: PartName): void {
    const key = this.#keyOf(part) ?? ''
    if (this.#inFlight.delete(key)) this.#failed.add(key)
  }

  render() {
    const loaded = [this.#get('page 0')?.page, this.#get('page 1')?.page]
      .filter((page) => page !== undefined)
      .map((page) => ({ ...page, loadedAt: 1 }))
    const request = { query: this.q, revision: 0, refreshedAt: 0 }
    const { shown, isOutdated } = this.#merge(request, loaded)
    const rows = shown && !isOutdated ? rowsIn(shown, visible, pageSize) : []
    this.#missing = missingRows(loaded, rows)
    const newest = newestGeneration()
    const isCurrent = (part: PartName) => this.#get(part)?.generation === newest
    const isComplete = this.#needed.every(isCurrent)
    const counts = [this.#get('counts')?.counts]
    if (this.q !== '') counts.push(this.#get('statuses')?.counts)
    this.#queryOf.set(counts[0], this.q)
    const settled = this.#settle({
      key: shown?.key ?? '',
      pages: loaded,
      visible: rows,
      isAnswered: this.#needed.every(
        (part) => this.#failed.has(this.#keyOf(part) ?? '') || isCurrent(part),
      ),
      isComplete,
      followed: this.#get('rows')?.rows,
      size: this.#get('size')?.size,
      counts,
      agree: (...responses) => countsAgree(this.q, ...responses),
    })
    return { shown, isOutdated, loaded, rows, settled, isComplete }
  }

  check(): void {
    const { isOutdated, loaded, rows, settled, isComplete } = this.render()
    const hasCounts = settled?.counts[0] !== undefined && settled.counts.every(Boolean)
    assert.ok(hasCounts || !this.#hasCounts, 'the values of the filters have vanished')
    this.#hasCounts ||= hasCounts
    if (!settled || isOutdated) return
    const { key, count, size, counts, countsKey, followed, isUpdating, isRetrying } = settled
    assert.ok(size >= count, 'more servers match than exist')
    const values = Object.fromEntries(
      valuesIn(counts, 'status').map(({ value, count: number }) => [String(value), number]),
    )
    const counted = Object.entries(values)
      .filter(([status]) => matches(this.q, { id: '', status: status as Status }))
      .reduce((sum, [, number]) => sum + number, 0)
    if (!isUpdating) {
      assert.ok(isComplete, 'older responses count as current')
      assert.equal(countsKey, key, 'filters of another query count as current')
      assert.equal(size, this.#get('size')?.size ?? count)
      const totals = new Set([...loaded.map(({ total }) => total), counts[0]?.total])
      assert.deepEqual(totals, new Set([count]), 'responses contradict each other')
      assert.equal(counted, count, 'values and count differ')
      const listed = new Map(loaded.flatMap((page) => page.rows.map((row) => [row.id, row])))
      if (listed.size === count)
        for (const [status, number] of Object.entries(countStatuses([...listed.values()])))
          assert.equal(values[status], number, 'values and rows differ')
    }
    this.#isMixed =
      isUpdating && (this.#isMixed || this.#failed.size > 0 || (isComplete && !isRetrying))
    if (countsKey === key) {
      if (counts[0]) assert.equal(this.#queryOf.get(counts[0]), this.q, 'filters of another query')
      if (!this.#isMixed) assert.equal(counted, count, 'filters and count differ')
    }
    const shown = rows.map((row) => {
      const { row: latest = row, state } = followed.get(row.id) ?? {}
      return { id: row.id, row: latest, state }
    })
    for (const { id, row, state } of shown)
      if (state !== 'gone')
        assert.equal(matches(this.q, row), state === undefined, `${id} is ${state}`)
    const distinct = new Set(shown.flatMap(({ id, state }) => (state ? [] : [id]))).size
    if (!isUpdating) assert.ok(distinct <= count, 'more rows than the count')
  }

  /** Requests what is older than the newest response, or everything, as the page does. */
  async refresh(between?: Change & { readonly after: PartName }): Promise<void> {
    this.render()
    const newest = newestGeneration()
    const needed = this.#needed
    const behind = needed.filter((part) => this.#get(part)?.generation !== newest)
    for (const part of behind.length > 0 ? behind : needed) {
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
const change = { id: fc.constantFrom(...ids), status: fc.constantFrom(...statuses, undefined) }
const step = fc.oneof(
  fc.record({ do: fc.constant('refresh' as const), after: part, ...change }),
  fc.record({ do: fc.constant('request' as const), part }),
  fc.record({ do: fc.constant('read' as const), part }),
  fc.record({ do: fc.constant('deliver' as const), part }),
  fc.record({ do: fc.constant('fail' as const), part }),
  fc.record({ do: fc.constant('change' as const), ...change }),
  fc.record({ do: fc.constant('query' as const), q: fc.constantFrom(...queries) }),
)

describe('the numbers and rows of a list', () => {
  it('follow a server that stops and starts again', async () => {
    const scene = new Scene()
    for (const [status, state] of [
      ['running', undefined],
      ['ready', 'unmatched'],
      ['running', undefined],
      [undefined, 'gone'],
    ] as const) {
      scene.change({ id: 'c', status })
      for (let round = 0; round < 3; round += 1) await scene.refresh()
      assert.equal(scene.render().settled?.followed.get('c')?.state, state)
    }
  })

  it('keep the values of the filters if those of the next query cannot be read', async () => {
    const scene = new Scene()
    await scene.refresh()
    scene.q = ''
    for (const name of parts) {
      scene.request(name)
      await scene.read(name)
      if (name === 'counts') scene.fail(name)
      else scene.deliver(name)
      scene.check()
    }
    assert.equal(scene.render().settled?.count, 6)
  })

  it('are read again three times if they contradict, then follow the latest page', async () => {
    const scene = new Scene()
    await scene.refresh()
    const retries: boolean[] = []
    for (let round = 0; round < 6; round += 1) {
      const status = round % 2 === 0 ? 'running' : 'ready'
      await scene.refresh({ id: 'h', status, after: 'page 1' })
      const { settled } = scene.render()
      assert.equal(settled?.isUpdating, true)
      retries.push(settled.isRetrying)
      const latest = round % 2 === 0 ? 6 : 7
      assert.equal(settled.count, settled.isRetrying ? 6 : latest)
    }
    assert.deepEqual(retries, [true, true, true, false, false, false])
    await scene.refresh()
    assert.equal(scene.render().settled?.isUpdating, false)
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
          else if (one.do === 'fail') scene.fail(one.part)
          else if (one.do === 'change') scene.change(one)
          else {
            scene.q = one.q
            places = []
          }
          scene.check()
          const { shown, isOutdated } = scene.render()
          const first = isOutdated ? [] : (shown?.pages.get(0)?.rows ?? []).map(({ id }) => id)
          if (places.length > 0) assert.deepEqual(first, places, 'rows have moved')
          places = first
        }
        // Old requests end, then the rows that turned out to be missing are read.
        for (let round = 0; round < 6; round += 1) await scene.refresh()
        const { rows, settled } = scene.render()
        const matching = [...scene.fleet].filter(([id, status]) =>
          matches(scene.q, { id, status }),
        ).length
        assert.deepEqual(
          [settled?.count, settled?.size, settled?.isUpdating, settled?.counts[0]?.total],
          [matching, scene.fleet.size, false, matching],
        )
        for (const { id } of rows) {
          const status = scene.fleet.get(id)
          const isMatch = status !== undefined && matches(scene.q, { id, status })
          const state = isMatch ? undefined : status ? 'unmatched' : 'gone'
          assert.equal(settled?.followed.get(id)?.state, state)
        }
      }),
      { numRuns: 500, seed: 26 },
    )
  })
})
