import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFeedHosts } from '@muster/contract'
import type { Caller } from '../../identity/caller.ts'
import { PlatformError } from '../../error.ts'
import { createExportServers } from '../export-servers.ts'
import type { ServerFinder } from '../ports.ts'
import type { FeedFormat } from './feed-format.ts'
import { formatAnsibleInventory } from './ansible-inventory.ts'
import { formatHostsFile, formatSshConfig } from './host-files.ts'
import { formatPrometheusTargets } from './prometheus-targets.ts'
import { readFeedQuery } from './read-feed-query.ts'

const caller = {
  principal: {
    token: { userId: 'u' },
    scope: { kind: 'none' },
    policies: { system: [], domain: [], project: [] },
  },
  authorizedScope: { scope: { kind: 'system' }, self: undefined },
} as unknown as Caller

/** Begins a feed of a storage that finds this many servers. */
function begin(total: number, format: FeedFormat) {
  const finder = {
    find: async () => ({ total, found: [], hasMore: false }),
    load: async () => [],
    findSharedNames: async () => [],
    countTags: async () => ({ items: [], total: 0 }),
  } as unknown as ServerFinder
  const { exportFeed } = createExportServers({
    finder,
    owners: { byProject: async () => new Map(), managedAccounts: async () => new Set() },
    syncTimes: { of: () => undefined, version: () => 0 },
  })
  return exportFeed(caller, readFeedQuery({}), format)
}

const options = { address: 'first', suffix: '' } as const

test('a feed that remembers names is refused before it begins if it has too many servers', async () => {
  const formats = [
    () => formatAnsibleInventory({ ...options, groups: [] }),
    () => formatSshConfig(options),
    () => formatHostsFile(options),
  ]
  for (const make of formats) {
    await begin(maxFeedHosts, make())
    await assert.rejects(begin(maxFeedHosts + 1, make()), (error: unknown) => {
      assert.ok(error instanceof PlatformError)
      assert.equal(error.status, 400)
      assert.match(error.message, /^50001 servers match.*at most 50000.*filters/)
      return true
    })
  }
  await begin(1_000_000, formatPrometheusTargets({ address: 'first', port: 9_100 }))
})
