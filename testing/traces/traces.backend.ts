import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ask, loginAdmin } from '../../server/src/testing/client.ts'
import { startFakeCollector } from '../../server/src/testing/fake-collector.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import { installPython } from '../python-environment.ts'

interface Span {
  readonly service: string
  readonly trace: string
  readonly id: string
  readonly parent: string
  readonly name: string
  readonly kind: number
  readonly start: number
  readonly end: number
  readonly status: number
  readonly attributes: Readonly<Record<string, string | number>>
}

describe('traces of a demo, read by the published definition of OTLP', () => {
  const lifetime = suiteLifetime()
  const began = Date.now()
  let spans: Span[]

  before(async () => {
    const collector = await startFakeCollector(lifetime)
    const platform = await startPlatform({
      flags: ['--demo', '--demo-servers=300', `--otlp-endpoint=${collector.url}`],
    })
    try {
      const token = await loginAdmin(platform.url)
      assert.equal((await ask(platform.url, '/servers', { token })).status, 200)
      await eventually('a complete sync', async () =>
        collector.spans().find(({ name }) => name === 'sync'),
      )
    } finally {
      await platform.close()
    }
    const python = installPython('traces', join(import.meta.dirname, 'requirements.txt'))
    const parsed = execFileSync(python, [join(import.meta.dirname, 'parse.py')], {
      input: collector.bodies.map((body) => `${body}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    spans = parsed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Span)
    assert.equal(spans.length, collector.spans().length)
  })

  const childrenOf = ({ trace, id }: Span) =>
    spans.filter((span) => span.trace === trace && span.parent === id)

  test('have valid ids, names, kinds and times', () => {
    for (const { service, trace, id, name, kind, start, end } of spans) {
      assert.equal(service, 'muster')
      assert.match(trace, /^[0-9a-f]{32}$/)
      assert.match(id, /^[0-9a-f]{16}$/)
      assert.match(name, /^\S.*\S$/)
      assert.ok([1, 2, 3].includes(kind))
      assert.ok(start >= began - 1_000 && start <= end && end <= Date.now() + 1_000, name)
    }
  })

  test('have a root for each sync, with its counts and the calls of source and database', () => {
    const sync = spans.find(({ name }) => name === 'sync')
    assert.ok(sync)
    assert.deepEqual([sync.parent, sync.kind, sync.status], ['', 1, 0])
    const { attributes } = sync
    assert.equal(attributes['muster.sync.result'], 'complete')
    assert.ok(Number(attributes['muster.sync.seen']) > 0)
    assert.match(String(attributes['muster.account_id']), /./)
    const names = new Set(childrenOf(sync).map(({ name }) => name))
    for (const name of ['source open', 'source page', 'commit']) assert.ok(names.has(name), name)
  })

  test('have requests with their statements', () => {
    const list = spans.find(({ name }) => name === 'GET /servers')
    assert.ok(list)
    assert.equal(list.attributes['http.response.status_code'], 200)
    assert.ok(childrenOf(list).some(({ attributes }) => attributes['db.system.name'] === 'sqlite'))
  })
})
