import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunk, defaultChunkSize } from './chunk.ts'

test('chunk splits a list into parts of the given size, the last one shorter', () => {
  assert.deepEqual([...chunk([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]])
  assert.deepEqual([...chunk([1, 2], 2)], [[1, 2]])
  assert.deepEqual([...chunk([])], [])
  const sizes = [...chunk(Array.from({ length: defaultChunkSize + 1 }))].map(({ length }) => length)
  assert.deepEqual(sizes, [defaultChunkSize, 1])
})
