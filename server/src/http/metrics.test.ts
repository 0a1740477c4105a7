import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operations } from '@muster/contract'
import { ask, loginAdmin, passwordIdentity, requestToken, secretOf } from '../testing/client.ts'
import { createIdentityWorld } from '../testing/identity-world/create-identity-world.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../testing/start-platform.ts'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const labelPair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)",?/y
const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/
/** Parses a number like Go, as the format requires. */
const isNumber = (text: string) => /^(?:[+-]?Inf|NaN|[+-]?[\d.]+(?:e[+-]?\d+)?)$/i.test(text)

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  labelPair.lastIndex = 0
  while (labelPair.lastIndex < text.length) {
    const [, name = '', value = ''] = labelPair.exec(text) ?? assert.fail(`labels: ${text}`)
    assert.ok(!(name in labels), `${name} twice`)
    labels[name] = value
  }
  return labels
}

const numberOf = (text: string) =>
  Number(text.replace('+Inf', 'Infinity').replace('-Inf', '-Infinity'))

/** A strict parser of the Prometheus text format. */
function parseMetrics(text: string): { types: Map<string, string>; samples: Sample[] } {
  assert.ok(text.endsWith('\n'))
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) {
      assert.ok(!types.has(typed), `${typed} twice`)
      types.set(typed, type)
      continue
    }
    const [, name = '', labels = '', value = ''] = sampleLine.exec(line) ?? assert.fail(line)
    assert.ok(isNumber(value), line)
    const family = [name, name.replace(/_(?:bucket|sum|count)$/, '')]
    assert.ok(
      family.some((candidate) => types.has(candidate)),
      `no type before ${line}`,
    )
    samples.push({ name, labels: parseLabels(labels), value: numberOf(value) })
  }
  return { types, samples }
}

const histogram = 'muster_http_request_duration_seconds'

async function readMetrics(url: string) {
  const { text } = await ask(url, '/metrics')
  const { types, samples } = parseMetrics(text)
  return {
    types,
    samples,
    /** The sum over all samples with at least these labels. */
    count: (name: string, labels: Record<string, string>) =>
      samples
        .filter((sample) => sample.name === name)
        .filter((sample) => Object.entries(labels).every(([key, to]) => sample.labels[key] === to))
        .reduce((sum, { value }) => sum + value, 0),
  }
}

describe('/metrics', () => {
  let platform: TestPlatform
  let url: string
  before(async () => {
    platform = await startPlatform()
    url = platform.url
  })
  after(() => platform.close())

  test('uses the Prometheus text format', async () => {
    await ask(url, '/healthz')
    const { headers } = await ask(url, '/metrics')
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    const { types, samples } = await readMetrics(url)
    assert.equal(types.get(histogram), 'histogram')
    assert.equal(types.get('muster_logins_total'), 'counter')
    assert.equal(types.get('muster_queue_waiting'), 'gauge')
    assert.ok(samples.some(({ name }) => name === 'process_resident_memory_bytes'))
  })

  test('has a request histogram with consistent buckets', async () => {
    const { samples } = await readMetrics(url)
    const of = (suffix: string) => samples.filter(({ name }) => name === histogram + suffix)
    const series = ({ labels: { method, route, status } }: Sample) => `${method} ${route} ${status}`
    const counts = new Map(of('_count').map((sample) => [series(sample), sample.value]))
    assert.ok(counts.size > 0)
    for (const [name, buckets] of Map.groupBy(of('_bucket'), series)) {
      const bounds = buckets.map(({ labels }) => numberOf(labels['le'] ?? ''))
      assert.deepEqual(
        bounds,
        [...bounds].sort((a, b) => a - b),
      )
      assert.equal(bounds.at(-1), Infinity)
      const values = buckets.map(({ value }) => value)
      assert.deepEqual(
        values,
        [...values].sort((a, b) => a - b),
      )
      assert.equal(values.at(-1), counts.get(name))
    }
  })

  test('counts each request by route and status', async () => {
    const labels = { method: 'GET', route: '/healthz', status: '2xx' }
    const earlier = await readMetrics(url)
    for (let time = 0; time < 3; time += 1) await ask(url, '/healthz')
    const later = await readMetrics(url)
    const moved = (name: string) => later.count(name, labels) - earlier.count(name, labels)
    assert.equal(moved(`${histogram}_count`), 3)
    assert.ok(moved(`${histogram}_sum`) > 0)
  })

  test('counts logins by result', async () => {
    const earlier = await readMetrics(url)
    await loginAdmin(url)
    await loginAdmin(url)
    await requestToken(url, { identity: passwordIdentity('sysadmin', 'a wrong sentence') })
    await requestToken(url, {})
    const later = await readMetrics(url)
    const moved = (result: string) =>
      later.count('muster_logins_total', { result }) -
      earlier.count('muster_logins_total', { result })
    const results = ['success', 'refused', 'invalid', 'throttled', 'unavailable', 'error']
    assert.deepEqual(results.map(moved), [2, 1, 1, 0, 0, 0])
  })

  test('client input creates no new series', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/made-up-${index}?x=${index}`)
    for (const path of [...paths, '/v3/auth/tokens/x', '/V3', '//healthz', '/healthz/']) {
      await ask(url, path)
    }
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'.toLowerCase()]) {
      await ask(url, '/healthz', { method }).catch(() => {})
    }
    const { samples } = await readMetrics(url)
    const routes = new Set<string>([...operations.map(({ path }) => path), 'none'])
    const methods = new Set<string>([...operations.map(({ method }) => method), 'none'])
    for (const { labels } of samples) {
      if (labels['route'] !== undefined) assert.ok(routes.has(labels['route']), labels['route'])
      if (labels['method'] !== undefined) assert.ok(methods.has(labels['method']), labels['method'])
      if (labels['status'] !== undefined) assert.match(labels['status'], /^[1-5]xx$|^\w+$/)
    }
    assert.ok(!JSON.stringify(samples).includes('made-up'))
  })
})

describe('access to /metrics', () => {
  let platform: TestPlatform
  let url: string
  before(async () => {
    platform = await startPlatform({ flags: ['--host=0.0.0.0'] })
    url = platform.url.replace('0.0.0.0', '127.0.0.1')
  })
  after(() => platform.close())

  /** A user with the administrator's password and this role. */
  async function loginAs(name: string, role: string): Promise<string> {
    const { database } = platform
    const people = createIdentityWorld(database)
    const { password_hash } = await database.db
      .selectFrom('users')
      .where('name', '=', 'sysadmin')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    const { id: projectId } = await database.db
      .selectFrom('projects')
      .select('id')
      .executeTakeFirstOrThrow()
    const userId = await people.addUser({ name, passwordHash: password_hash ?? '' })
    await people.assign({ role: 'project_viewer', userId, projectId })
    if (role !== 'project_viewer') await people.assign({ role, userId })
    const identity = passwordIdentity(name, adminPassword)
    return secretOf(await requestToken(url, { identity, scope: { project: { id: projectId } } }))
  }

  /** Each of these headers makes the caller non-local, whatever it claims. */
  const forwarded = [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=127.0.0.1' },
  ]

  test('is open on the local machine', async () => {
    assert.equal((await ask(url, '/metrics')).status, 200)
  })

  test('requires a token from elsewhere', async () => {
    for (const headers of forwarded) {
      const answer = await ask(url, '/metrics', { headers })
      assert.equal(answer.status, 401, JSON.stringify(headers))
      assert.ok(!answer.text.includes('muster_'))
    }
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    if (outside) {
      const elsewhere = url.replace('127.0.0.1', outside.address)
      assert.equal((await ask(elsewhere, '/metrics')).status, 401)
    }
  })

  test('requires a token with permission from elsewhere', async () => {
    const [headers] = forwarded
    assert.ok(headers)
    const status = async (token: string) => (await ask(url, '/metrics', { token, headers })).status
    assert.equal(await status(await loginAs('reader', 'project_viewer')), 403)
    assert.equal(await status(await loginAs('watcher', 'auditor')), 200)
    assert.equal(await status(await loginAdmin(url)), 200)
    assert.equal(await status('mt1_nonsense'), 401)
  })
})

describe('the token of a scraper', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-scrape-'))
  const file = join(folder, 'token')
  const first = 'first-token-of-prometheus'
  let platform: TestPlatform
  before(async () => {
    writeFileSync(file, `${first}\n`)
    platform = await startPlatform({ flags: [`--metrics-token-file=${file}`] })
  })
  after(async () => {
    await platform.close()
    rmSync(folder, { recursive: true })
  })

  const statusWith = async (headers: Record<string, string>, path = '/metrics') =>
    (await ask(platform.url, path, { headers })).status
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }

  test('is required, also on the local machine', async () => {
    assert.equal(await statusWith(bearer(first)), 200)
    assert.equal(await statusWith({ ...bearer(first), ...forwarded }), 200)
    for (const headers of [
      {},
      bearer('wrong-token-of-prometheus'),
      bearer(''),
      { authorization: first },
      { authorization: `Basic ${first}` },
      { 'x-auth-token': first },
    ]) {
      assert.equal(await statusWith({ ...headers }), 401, JSON.stringify(headers))
      assert.equal(await statusWith({ ...headers, ...forwarded }), 401)
    }
  })

  test('opens nothing else, and a token with the permission still works', async () => {
    assert.equal(await statusWith(bearer(first), '/v3/users'), 401)
    assert.equal(await statusWith({ 'x-auth-token': await loginAdmin(platform.url) }), 200)
  })

  test('changes with its file, and nobody has one without it', async () => {
    writeFileSync(file, 'second-token-of-prometheus')
    assert.equal(await statusWith(bearer(first)), 401)
    assert.equal(await statusWith(bearer('second-token-of-prometheus')), 200)
    writeFileSync(file, '\n')
    assert.equal(await statusWith(bearer('second-token-of-prometheus')), 401)
    rmSync(file)
    assert.equal(await statusWith(bearer('second-token-of-prometheus')), 401)
    writeFileSync(file, 'third-token-of-prometheus')
    assert.equal(await statusWith(bearer('third-token-of-prometheus')), 200)
  })
})
