import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceError, UnconfirmedAbsence } from '../sources/source-error.ts'
import type { ServerReference, Source } from '../sources/source.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import { createServerReadings } from './server-readings.ts'

test('a region that fails does not affect the readings of another region', async () => {
  const requests: string[][] = []
  const source = {
    async getMany(references: readonly ServerReference[]) {
      requests.push(references.map(({ externalId }) => externalId))
      if (references.some(({ regionId }) => regionId === 'down')) {
        throw new SourceError('timeout', 'no response in time')
      }
      return references.map(() => undefined)
    },
    async close() {},
  } as unknown as Source
  const { read } = createServerReadings({
    open: async () => source,
    signal: new AbortController().signal,
    timeLimit: 10_000,
  })
  const results = await Promise.allSettled([
    read(referTo('a', 'up')),
    read(referTo('b', 'down')),
    read(referTo('c', 'up')),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(requests, [['a', 'c'], ['b']])
})

test('a server that the source cannot decide about does not affect the readings of others', async () => {
  const source = {
    async getMany(references: readonly ServerReference[]) {
      if (references.some(({ externalId }) => externalId === 'hidden')) {
        throw new UnconfirmedAbsence('It may be hidden.')
      }
      return references.map(() => undefined)
    },
    async close() {},
  } as unknown as Source
  const { read } = createServerReadings({
    open: async () => source,
    signal: new AbortController().signal,
    timeLimit: 10_000,
  })
  const results = await Promise.allSettled(['a', 'hidden', 'c'].map((id) => read(referTo(id))))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})
