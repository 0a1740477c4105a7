import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { createVersionedCache } from './versioned-cache.ts'

interface Answer {
  readonly text: string
}

describe('the versioned cache', () => {
  let version: number | undefined
  let loads: number
  let cache: ReturnType<typeof createVersionedCache<Answer>>
  beforeEach(() => {
    version = 1
    loads = 0
    cache = createVersionedCache<Answer>({ current: () => version }, 3)
  })

  const load = (text: string) => async () => {
    loads += 1
    return { text }
  }

  test('reads once while nothing changes', async () => {
    assert.equal(cache.peek('key'), undefined)
    assert.deepEqual(await cache.get('key', load('first')), { text: 'first' })
    assert.deepEqual(await cache.get('key', load('second')), { text: 'first' })
    assert.deepEqual(cache.peek('key'), { text: 'first' })
    assert.equal(loads, 1)
  })

  test('never serves across a version, not even back to an older one', async () => {
    await cache.get('key', load('first'))
    version = 2
    assert.equal(cache.peek('key'), undefined)
    assert.deepEqual(await cache.get('key', load('second')), { text: 'second' })
    version = 1
    assert.equal(cache.peek('key'), undefined)
    assert.deepEqual(await cache.get('key', load('third')), { text: 'third' })
  })

  test('serves and keeps nothing while out of touch', async () => {
    await cache.get('key', load('first'))
    version = undefined
    assert.equal(cache.peek('key'), undefined)
    assert.deepEqual(await cache.get('key', load('second')), { text: 'second' })
    assert.deepEqual(await cache.get('key', load('third')), { text: 'third' })
    assert.equal(cache.peek('key'), undefined)
    assert.equal(loads, 3)
  })

  test('does not keep what it read while it was out of touch', async () => {
    version = undefined
    await cache.get('key', load('blind'))
    version = 1
    assert.equal(cache.peek('key'), undefined)
  })

  test('does not keep what it began to read before a change', async () => {
    const changing = await cache.get('key', async () => {
      version = 2
      return { text: 'perhaps old' }
    })
    assert.deepEqual(changing, { text: 'perhaps old' })
    assert.equal(cache.peek('key'), undefined)
    assert.deepEqual(await cache.get('key', load('new')), { text: 'new' })
  })

  test('does not let a slow old read take the scope of a new one', async () => {
    const slow = Promise.withResolvers<Answer>()
    const early = cache.get('key', () => slow.promise)
    version = 2
    await cache.get('key', load('new'))
    slow.resolve({ text: 'old' })
    await early
    assert.notDeepEqual(cache.peek('key'), { text: 'old' })
    assert.deepEqual(await cache.get('key', load('new')), { text: 'new' })
  })

  test('does not remember an absence, nor a failure', async () => {
    assert.equal(await cache.get('key', async () => undefined), undefined)
    await assert.rejects(cache.get('key', () => Promise.reject(new Error('no storage'))))
    assert.deepEqual(await cache.get('key', load('there now')), { text: 'there now' })
  })

  test('keeps keys apart, and no more than it may', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, load(key))
    assert.equal(cache.peek('a'), undefined)
    for (const key of ['b', 'c', 'd']) assert.deepEqual(cache.peek(key), { text: key })
  })
})
