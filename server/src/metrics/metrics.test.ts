import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createCacheMemory } from '../domain/cache.ts'
import { createHistogram } from '../domain/histogram.ts'
import { freshSync, makeAccount } from '../testing/inventory-world/in-memory-sync.ts'
import { repository } from '../testing/spawn-muster.ts'
import { createDeliveryMetrics } from './delivery-metrics.ts'
import { createDatabaseMetrics } from './database-metrics.ts'
import { createInventoryMetrics } from './inventory-metrics.ts'
import { histogramSamples, renderMetrics, type Metric } from './metric.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { createCacheMetrics, createHealthMetrics, createQueueMetrics } from './runtime-metrics.ts'
import { createTraceMetrics } from './trace-metrics.ts'
import { createSyncMetrics } from './sync-metrics.ts'

describe('the text format', () => {
  const metric = (read: Metric['read']): Metric => ({
    name: 'm',
    type: 'gauge',
    help: 'Help.',
    read,
  })

  test('escapes what labels may contain', () => {
    const text = renderMetrics([metric(() => [{ labels: { a: 'x"y\\z\nu' }, value: 1.5 }])])
    assert.equal(text, '# HELP m Help.\n# TYPE m gauge\nm{a="x\\"y\\\\z\\nu"} 1.5\n')
  })

  test('leaves out a family without a value', () => {
    assert.equal(renderMetrics([metric(() => [])]), '')
  })

  test('has cumulative buckets whose bounds belong to them', () => {
    const histogram = createHistogram([1, 2])
    for (const value of [0.5, 1, 1.5, 2, 7]) histogram.observe(value)
    const lines = histogramSamples({ a: 'b' }, histogram.read()).map(
      ({ suffix, labels, value }) => `${suffix} ${labels?.['le'] ?? ''} ${value}`,
    )
    assert.deepEqual(lines, [
      '_bucket 1 2',
      '_bucket 2 4',
      '_bucket +Inf 5',
      '_sum  12',
      '_count  5',
    ])
  })
})

describe('metrics of accounts', () => {
  const accounts = Array.from({ length: 503 }, (_, index) => ({
    account: makeAccount({ id: `id-${index}`, name: `account ${index}`, enabled: index !== 1 }),
    sync: {
      ...freshSync,
      failures: index === 2 ? 4 : 0,
      ...(index === 3 && { is_unreachable: true }),
    },
  }))
  const text = renderMetrics(
    createInventoryMetrics(() => ({
      tokens: 0,
      sessions: 0,
      tasks: { queued: 3, running: 0 },
      violations: { info: 0, warning: 2, critical: 1 },
      serviceAccounts: { ok: 3, ownerless: 1, unused: 2 },
      evaluatedAt: 1_500,
      servers: [],
      accounts,
    })),
  )
  const seriesOf = (name: string) =>
    text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

  test('count unfinished tasks by status', () => {
    assert.deepEqual(seriesOf('muster_tasks'), [
      'muster_tasks{status="queued"} 3',
      'muster_tasks{status="running"} 0',
    ])
  })

  test('count service accounts by what to look at', () => {
    assert.deepEqual(seriesOf('muster_service_accounts'), [
      'muster_service_accounts{attention="ok"} 3',
      'muster_service_accounts{attention="ownerless"} 1',
      'muster_service_accounts{attention="unused"} 2',
    ])
  })

  test('count violations of checks by severity, and tell when they were evaluated', () => {
    assert.deepEqual(seriesOf('muster_check_violations'), [
      'muster_check_violations{severity="info"} 0',
      'muster_check_violations{severity="warning"} 2',
      'muster_check_violations{severity="critical"} 1',
    ])
    assert.deepEqual(seriesOf('muster_checks_evaluated_timestamp_seconds'), [
      'muster_checks_evaluated_timestamp_seconds 1.5',
    ])
  })

  test('have a series for the first 500, and count the rest', () => {
    assert.equal(seriesOf('muster_account_failures').length, 500)
    assert.deepEqual(seriesOf('muster_accounts_omitted'), ['muster_accounts_omitted 3'])
    assert.equal(
      seriesOf('muster_account_failures')[2],
      'muster_account_failures{account_id="id-2",account="account 2",provider="Aws"} 4',
    )
  })

  test('count all accounts by state, and have no time of a scan that never was', () => {
    const states = {
      ok: 0,
      new: 500,
      degraded: 0,
      failing: 1,
      unreachable: 1,
      disabled: 1,
      deleting: 0,
    }
    assert.deepEqual(
      seriesOf('muster_accounts'),
      Object.entries(states).map(([state, count]) => `muster_accounts{state="${state}"} ${count}`),
    )
    assert.deepEqual(seriesOf('muster_account_last_scan_timestamp_seconds'), [])
  })
})

describe('docs/monitoring.md', () => {
  test('lists every metric with its type, labels and meaning, and no other', () => {
    const own = createProcessMetrics()
    own.stop()
    const all = [
      ...createHealthMetrics('', { problems: () => [], clockOffset: () => undefined }),
      ...createInventoryMetrics(() => undefined),
      ...createSyncMetrics(() => undefined),
      ...createDeliveryMetrics([], () => new Map(), Date.now),
      ...createRequestMetrics().metrics,
      ...createDatabaseMetrics(
        () => new Map(),
        () => undefined,
      ),
      ...createQueueMetrics(() => new Map()),
      ...createCacheMetrics(createCacheMemory(0)),
      ...own.metrics,
      ...createTraceMetrics(undefined),
    ]
    const expected = all.map(({ name, type, labels = [], help }) =>
      [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help].join(' | '),
    )
    const page = readFileSync(join(repository, 'docs/monitoring.md'), 'utf8')
    const rows = page
      .split('\n')
      .filter((line) => /^\| `(muster|process|nodejs)_/.test(line))
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim()).join(' | '))
    assert.deepEqual(rows, expected)
  })
})
