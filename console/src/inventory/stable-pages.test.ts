import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as stable from './stable-pages.ts'

type Row = stable.ListItem & { readonly status: string }
type Page = stable.Page<Row>
const createStablePages = (freshFor: number, clock: () => number) =>
  stable.createStablePages<Row>({ pageSize: 3, freshFor, clock })

interface PageOptions {
  readonly total?: number
  readonly status?: string
  readonly at?: number
  readonly index?: number
}

function page(
  ids: string,
  { total = ids.length, status = 'running', ...rest }: PageOptions = {},
): Page {
  const rows = [...ids].map((id) => ({ id, status }))
  const loadedAt = rest.at ?? 100
  return { index: rest.index ?? 0, total, rows, loadedAt, generation: loadedAt }
}
const request = (query: string, refreshedAt = 0) => ({ query, revision: 0, refreshedAt })
const idsOf = ({ rows }: Pick<Page, 'rows'> = { rows: [] }) => rows.map(({ id }) => id).join('')

describe('visible rows', () => {
  it('are updated in place', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    const next = merge(request('q'), [page('abc', { status: 'ready', at: 200 })])
    assert.equal(next.shown?.pages.get(0)?.rows[1]?.status, 'ready')
    assert.equal(next.isReordered, false)
  })

  it('keep their position when rows are inserted before them, after any number of refreshes', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    for (const at of [200, 200, 300]) {
      const next = merge(request('q'), [page('zab', { total: 4, status: 'ready', at })])
      assert.equal(idsOf(next.shown?.pages.get(0)), 'abc')
      assert.equal(next.shown?.pages.get(0)?.rows[0]?.status, 'ready')
      assert.equal(next.shown?.pages.get(0)?.rows[2]?.status, 'running')
      assert.deepEqual([next.shown?.total, next.isReordered], [3, true])
    }
  })

  it('stay when they are removed', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    const { shown, isReordered } = merge(request('q'), [page('ab', { at: 200 })])
    assert.deepEqual([idsOf(shown?.pages.get(0)), shown?.rowCount, isReordered], ['abc', 3, true])
  })

  it('appear at once in an empty list', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('')])
    const { shown, isReordered } = merge(request('q'), [page('ab', { at: 200 })])
    assert.deepEqual([idsOf(shown?.pages.get(0)), shown?.rowCount, isReordered], ['ab', 2, false])
  })

  it('have the values of the newest response, whichever page it is of', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc', { total: 6 }), page('def', { total: 6, index: 1 })])
    const first = page('xab', { total: 7, status: 'ready', at: 200 })
    const second = page('cde', { total: 7, status: 'ready', at: 200, index: 1 })
    const { shown } = merge(request('q'), [second, first])
    assert.equal(shown?.pages.get(0)?.rows[2]?.status, 'ready')
  })

  it('end where a page is not full, although the list was longer before', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc', { total: 6 })])
    const { shown } = merge(request('q'), [
      page('abc', { total: 4, at: 200 }),
      page('d', { total: 4, at: 200, index: 1 }),
    ])
    assert.equal(shown?.rowCount, 4)
  })

  it('are replaced by the rows of another query', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    const next = merge(request('q2'), [page('xy')])
    assert.equal(idsOf(next.shown?.pages.get(0)), 'xy')
    assert.equal(next.shown?.total, 2)
  })

  it('stay until the first page of another query is loaded', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    const { shown, isOutdated } = merge(request('q2'), [])
    assert.deepEqual([idsOf(shown?.pages.get(0)), isOutdated], ['abc', true])
  })

  it('are replaced if they are older than the query', () => {
    const merge = createStablePages(50, () => 200)
    const kept = merge(request('q'), [page('abc', { at: 149 })])
    assert.equal(idsOf(kept.shown?.pages.get(0)), 'abc')
    const fresh = merge(request('q'), [page('zabc', { at: 210 })])
    assert.equal(idsOf(fresh.shown?.pages.get(0)), 'zabc')
    assert.deepEqual([fresh.shown?.total, fresh.isReordered], [4, false])
    const later = merge(request('q'), [page('yzabc', { at: 300 })])
    assert.equal(idsOf(later.shown?.pages.get(0)), 'zabc')
    assert.deepEqual([later.shown?.total, later.isReordered], [4, true])
  })

  it('stay if they were loaded just before the query, which does not load them again', () => {
    const merge = createStablePages(50, () => 200)
    merge(request('q'), [page('abc', { at: 150 })])
    assert.ok(merge(request('q'), [page('zabc', { at: 260 })]).isReordered)
  })

  it('are replaced when the user shows the changes, and are stable again afterwards', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    merge(request('q'), [page('zabc', { at: 200 })])
    const next = { ...request('q'), revision: 1 }
    assert.equal(idsOf(merge(next, [page('zabc', { at: 200 })]).shown?.pages.get(0)), 'zabc')
    assert.ok(merge(next, [page('yzabc', { at: 300 })]).isReordered)
  })

  it('are replaced without a notice when the user refreshes', () => {
    const merge = createStablePages(0, () => 50)
    merge(request('q'), [page('abc')])
    assert.ok(merge(request('q'), [page('zabc', { at: 200 })]).isReordered)
    const fresh = merge(request('q', 250), [page('xzabc', { at: 260 })])
    assert.equal(idsOf(fresh.shown?.pages.get(0)), 'xzabc')
    assert.equal(fresh.isReordered, false)
    assert.ok(merge(request('q', 250), [page('wxzabc', { at: 300 })]).isReordered)
  })

  it('drops pages far from the visible ones', () => {
    const merge = createStablePages(0, () => 50)
    let kept: number[] = []
    for (let index = 0; index < 500; index += 1) {
      const { shown } = merge(request('q'), [page('abc', { index, total: 50_000 })])
      kept = [...(shown?.pages.keys() ?? [])]
    }
    assert.equal(kept.length, 11)
    assert.equal(kept[0], 489)
  })
})
