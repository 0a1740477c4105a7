import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createStablePages, type Page } from './stable-pages.ts'

interface PropertyList {
  readonly total?: number
  readonly status?: string
  readonly at?: number
  readonly index?: number
}

function page(
  ids: string,
  { total = ids.length, status = 'running', ...rest }: PropertyList = {},
): Page {
  const rows = [...ids].map((id) => ({ id, status }))
  return { index: rest.index ?? 0, total, rows, loadedAt: rest.at ?? 100 }
}
const asked = (query: string, refreshedAt = 0) => ({ query, turn: 0, refreshedAt })
const idsOf = ({ rows }: Pick<Page, 'rows'> = { rows: [] }) => rows.map(({ id }) => id).join('')

describe('rows that somebody reads', () => {
  it('take new values where they stand', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    const next = hold(asked('q'), [page('abc', { status: 'ready', at: 200 })])
    assert.equal(next.held?.pages.get(0)?.rows[1]?.status, 'ready')
    assert.deepEqual([next.news, next.isMoved], [0, false])
  })

  it('stay where they are when others come before them, however often it is looked', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    for (const at of [200, 200, 300]) {
      const next = hold(asked('q'), [page('zab', { total: 4, status: 'ready', at })])
      assert.equal(idsOf(next.held?.pages.get(0)), 'abc')
      assert.equal(next.held?.pages.get(0)?.rows[0]?.status, 'ready')
      assert.equal(next.held?.pages.get(0)?.rows[2]?.status, 'running')
      assert.deepEqual([next.held?.total, next.news, next.isMoved], [3, 1, true])
    }
  })

  it('tell of fewer as well', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    assert.equal(hold(asked('q'), [page('ab', { at: 200 })]).news, -1)
  })

  it('give way to those of another query', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    const next = hold(asked('q2'), [page('xy')])
    assert.equal(idsOf(next.held?.pages.get(0)), 'xy')
    assert.equal(next.held?.total, 2)
  })

  it('stay until the first of another query are there', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    const { held, isBehind } = hold(asked('q2'), [])
    assert.deepEqual([idsOf(held?.pages.get(0)), isBehind], ['abc', true])
  })

  it('give way without a word where they are from before the query', () => {
    const hold = createStablePages(50, () => 200)
    const kept = hold(asked('q'), [page('abc', { at: 149 })])
    assert.equal(idsOf(kept.held?.pages.get(0)), 'abc')
    const fresh = hold(asked('q'), [page('zabc', { at: 210 })])
    assert.equal(idsOf(fresh.held?.pages.get(0)), 'zabc')
    assert.deepEqual([fresh.held?.total, fresh.news, fresh.isMoved], [4, 0, false])
    const later = hold(asked('q'), [page('yzabc', { at: 300 })])
    assert.equal(idsOf(later.held?.pages.get(0)), 'zabc')
    assert.deepEqual([later.news, later.isMoved], [1, true])
  })

  it('stay where they were loaded just before the query, which loads them no more', () => {
    const hold = createStablePages(50, () => 200)
    hold(asked('q'), [page('abc', { at: 150 })])
    assert.equal(hold(asked('q'), [page('zabc', { at: 260 })]).news, 1)
  })

  it('give way where the reader lets in what came, and stay again from then on', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    hold(asked('q'), [page('zabc', { at: 200 })])
    const next = { ...asked('q'), turn: 1 }
    assert.equal(idsOf(hold(next, [page('zabc', { at: 200 })]).held?.pages.get(0)), 'zabc')
    assert.equal(hold(next, [page('yzabc', { at: 300 })]).news, 1)
  })

  it('give way without a word where the reader has asked again', () => {
    const hold = createStablePages(0, () => 50)
    hold(asked('q'), [page('abc')])
    assert.equal(hold(asked('q'), [page('zabc', { at: 200 })]).news, 1)
    const fresh = hold(asked('q', 250), [page('xzabc', { at: 260 })])
    assert.equal(idsOf(fresh.held?.pages.get(0)), 'xzabc')
    assert.deepEqual([fresh.news, fresh.isMoved], [0, false])
    assert.equal(hold(asked('q', 250), [page('wxzabc', { at: 300 })]).news, 1)
  })

  it('are let go far from what is in sight', () => {
    const hold = createStablePages(0, () => 50)
    let kept: number[] = []
    for (let index = 0; index < 500; index += 1) {
      const { held } = hold(asked('q'), [page('abc', { index, total: 50_000 })])
      kept = [...(held?.pages.keys() ?? [])]
    }
    assert.equal(kept.length, 11)
    assert.equal(kept[0], 489)
  })
})
