import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { createCache, createCacheMemory, type Cache } from './cache.ts'

interface Answer {
  readonly text: string
}

describe('a cache', () => {
  let version: number | undefined
  let loads: number
  let values: Cache<string, number, Answer>
  beforeEach(() => {
    version = 1
    loads = 0
    values = createCache<string, number, Answer>(createCacheMemory(10_000), 'test', () => 100)
  })
  const cache = {
    peek: (key: string) => values.get(key, version),
    get: (key: string, read: () => Promise<Answer | undefined>) => values.load(key, version, read),
  }

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

  test('replaces a value, and does not store one of an unknown version', () => {
    values.set('key', 1, { text: 'first' })
    values.set('key', 1, { text: 'second' })
    assert.deepEqual(cache.peek('key'), { text: 'second' })
    values.set('key', undefined, { text: 'third' })
    assert.equal(cache.peek('key'), undefined)
  })
})

describe('the memory of caches', () => {
  test('is limited in total: the least recently used values of any cache leave first', () => {
    const memory = createCacheMemory(5_000)
    const [texts, numbers] = [
      createCache<string, number, number>(memory, 'test', (size) => size),
      createCache<number, number, number>(memory, 'test', (size) => size),
    ]
    texts.set('a', 1, 1_000)
    numbers.set(1, 1, 1_000)
    texts.set('b', 1, 1_000)
    const full = memory.used()
    assert.ok(full > 3_000 && full <= 5_000)
    // Used again, so that it stays.
    assert.equal(texts.get('a', 1), 1_000)
    numbers.set(2, 1, 1_000)
    numbers.set(3, 1, 1_000)
    assert.ok(memory.used() <= 5_000)
    assert.deepEqual(
      [texts.get('a', 1), numbers.get(1, 1), texts.get('b', 1), numbers.get(3, 1)],
      [1_000, undefined, 1_000, 1_000],
    )
  })

  test('counts a replaced value once', () => {
    const memory = createCacheMemory(5_000)
    const cache = createCache<string, number, number>(memory, 'test', (size) => size)
    for (let time = 0; time < 10; time += 1) cache.set('key', time, 1_000)
    assert.ok(memory.used() < 2_000)
    assert.equal(cache.get('key', 9), 1_000)
    assert.equal(cache.get('key', 8), undefined)
  })

  test('is not filled by one value', () => {
    const memory = createCacheMemory(5_000)
    const cache = createCache<string, number, number>(memory, 'test', (size) => size)
    cache.set('small', 1, 500)
    cache.set('large', 1, 4_000)
    assert.deepEqual([cache.get('small', 1), cache.get('large', 1)], [500, undefined])
  })
})
