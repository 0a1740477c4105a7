import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../domain/error.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import type { ResponseMemory } from '../response-memory.ts'
import { createFeedHandlers } from './feed-handlers.ts'
import type { InventoryReads } from './handlers.ts'

test('feeds that nobody reads delay only feeds of the same user, which are refused soon', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const reads = {
    exportFeed: async () => (async function* none() {})(),
  } as unknown as InventoryReads
  const handlers = createFeedHandlers(async () => ({ reads, headers: {}, url: '', isPast: false }))
  type Call = Parameters<typeof handlers.exportHostsFile>[0]
  const getSignal = () => new AbortController().signal
  /** A feed whose response never ends. */
  const start = async (userId: string) => {
    const principal = { token: { id: `token of ${userId}`, userId } } as Principal
    const call = {
      query: {},
      reserve: async (bytes: number, memory?: ResponseMemory) => {
        assert.ok(memory, 'the memory of pages is not used')
        await memory.acquire({ principal, bytes, getSignal })
      },
    }
    return await handlers.exportHostsFile(call as unknown as Call)
  }

  await start('a')
  await start('a')
  const third = assert.rejects(start('a'), (error: unknown) => {
    assert.ok(error instanceof PlatformError)
    assert.deepEqual([error.status, error.retryAfter], [503, 1])
    assert.match(error.message, /feeds/)
    return true
  })
  await start('b')
  mock.timers.tick(1_000)
  await third
})
