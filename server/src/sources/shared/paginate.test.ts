import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ListBudget } from './list-budget.ts'
import { collectPages, paginate } from './paginate.ts'

const idOf = (id: string) => id
const isIncomplete = (error: unknown) => error instanceof SourceError && error.kind === 'incomplete'

/** A list with these pages, by number from 0. */
function pagingOf(pageAt: (page: number) => { items: string[]; next?: string }) {
  let page = -1
  const call = async () => {
    page += 1
    const { items, next } = pageAt(page)
    return { items, next }
  }
  return { what: 'servers', idOf, call }
}

async function countAll(paging: ReturnType<typeof pagingOf>) {
  let count = 0
  for await (const items of paginate(paging)) count += items.length
  return count
}

const idsOf = (page: number, count: number) =>
  Array.from({ length: count }, (_, at) => `id-${page * count + at}`)

describe('a list of pages', () => {
  test('may have any number of items and pages', async () => {
    const last = 30_000
    const pageAt = (page: number) => ({
      items: idsOf(page, 2),
      ...(page < last && { next: `p${page}` }),
    })
    assert.equal(await countAll(pagingOf(pageAt)), 2 * (last + 1))
  })

  test('ends with an error if pages repeat, however many are between', async () => {
    for (const period of [1, 2, 3, 7, 64, 100]) {
      for (const start of [0, 1, 10]) {
        const pageAt = (page: number) => {
          const at = page < start ? page : start + ((page - start) % period)
          return { items: idsOf(page, 1), next: `p${at}` }
        }
        await assert.rejects(countAll(pagingOf(pageAt)), isIncomplete, `${period} ${start}`)
      }
    }
  })

  test('ends with an error if pages bring nothing new', async () => {
    for (const items of [[], ['a'], ['a', 'b']]) {
      const pageAt = (page: number) => ({ items, next: `p${page}` })
      await assert.rejects(countAll(pagingOf(pageAt)), isIncomplete)
    }
  })

  test('has each item once', async () => {
    const pageAt = (page: number) => ({
      items: ['a', `b${page}`],
      ...(page < 9 && { next: `p${page}` }),
    })
    assert.equal(await countAll(pagingOf(pageAt)), 11)
  })
})

describe('a list in memory', () => {
  const endless = (length: number) =>
    pagingOf((page) => ({
      items: idsOf(page, 10).map((id) => id.padEnd(length)),
      next: `p${page}`,
    }))
  const pick = (item: string) => item

  test('is cut at the budget, and the warning names it', async () => {
    const budget = new ListBudget(2 ** 20)
    const found = await collectPages(endless(1_000), { budget, pick })
    assert.ok(found.length > 100 && found.length < 1_049)
    assert.match(budget.errors()[0]?.message ?? '', /list of servers is too long/)
  })

  test('is not read further than a multiple of the budget, however little of it is held', async () => {
    const budget = new ListBudget(2 ** 20)
    const paging = endless(10)
    let pages = 0
    const call = async () => {
      pages += 1
      return { ...(await paging.call()), bytes: 100_000 }
    }
    const found = await collectPages({ ...paging, call }, { budget, pick })
    assert.equal(found.length, 10 * pages)
    assert.ok(pages > 20 && pages < 30, `${pages} pages`)
    assert.equal(budget.errors().length, 1)
  })

  test('shares its budget with others', async () => {
    const budget = new ListBudget(2 ** 20)
    await collectPages(endless(1_000), { budget, pick })
    const others = { ...endless(1_000), what: 'volumes' }
    assert.ok((await collectPages(others, { budget, pick })).length < 2)
    assert.equal(budget.errors().length, 2)
  })
})
