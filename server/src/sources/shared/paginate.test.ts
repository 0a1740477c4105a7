import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import { collectPages, paginate } from './paginate.ts'

const idOf = (id: string) => id

/** A list that always has another page with new ids. */
function endlessPaging(itemsInPage: number, bytes = 0) {
  let count = 0
  return {
    what: 'servers',
    idOf,
    call: async () => {
      const items = Array.from({ length: itemsInPage }, () => `id-${(count += 1)}`)
      return { items, next: items.at(-1), bytes }
    },
  }
}

const isTooLong = (error: unknown) => error instanceof SourceError && error.kind === 'incomplete'

describe('a list without end', () => {
  test('ends with an error, although every page has new ids', async () => {
    let read = 0
    const reading = async () => {
      for await (const items of paginate(endlessPaging(100_000))) read += items.length
    }
    await assert.rejects(reading, isTooLong)
    assert.equal(read, 1_000_000)
  })

  test('is not collected beyond a number of items or bytes', async () => {
    await assert.rejects(collectPages(endlessPaging(1_000)), isTooLong)
    await assert.rejects(collectPages(endlessPaging(1), 3), isTooLong)
    await assert.rejects(collectPages(endlessPaging(1, 10 * 2 ** 20)), isTooLong)
  })
})
