import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, ScanPage, Source, SourceKind } from '../../domain/sources/source.ts'
import { awsKind } from '../../sources/aws/aws-kind.ts'
import { incusKind } from '../../sources/incus/incus-kind.ts'
import {
  requireFailedScan,
  requireNoLossInNewSource,
  requireNotGone,
  requireSourceError,
  scanWithoutLoss,
} from './check-fault.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { idOf } from './scan-source.ts'
import { requireSameOrReason, scanWhole } from './test-other-requests.ts'

const servers = ['one', 'two'].map((name): ReportedServer => ({
  key: [name],
  facts: { name, status: 'running' },
}))
const [one, two] = servers
assert.ok(one && two)
const existing = new Map(servers.map((server) => [idOf(server), server]))
const settings = { address: '', credentials: { key: 'the secret' }, options: {} }
const failure = new SourceError('failed', 'EC2 could not list servers.')

/** A source that reports these pages, and then throws if there is an error. */
const sourceOf = (pages: readonly Partial<ScanPage>[], error?: unknown): Source => ({
  title: 'bad',
  async *scan() {
    for (const page of pages) yield { present: [], gone: [], ...page }
    if (error !== undefined) throw error
  },
  get: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
})
const kindOf = (source: Source): SourceKind => ({ ...awsKind, open: () => Promise.resolve(source) })
const tested = { kind: awsKind, settings }

describe('the checks of a fault reject a source that', () => {
  test('ends normally without an existing server', async () => {
    const source = sourceOf([{ present: [one] }])
    await assert.rejects(scanWithoutLoss(source, existing), /ends normally without/)
    await assert.rejects(
      requireNoLossInNewSource({ kind: kindOf(source), settings }, existing),
      /ends normally without/,
    )
  })

  test('reports an existing server as gone, even if it throws later', async () => {
    const source = sourceOf([{ present: [one], gone: [two.key] }], failure)
    await assert.rejects(scanWithoutLoss(source, existing), /reported as gone/)
  })

  test('does not notice the fault', async () => {
    const source = sourceOf([{ present: servers }])
    assert.equal(await scanWithoutLoss(source, existing), undefined)
    await assert.rejects(requireFailedScan(source, tested, existing), /in spite of the fault/)
  })

  test('throws the wrong kind of error', async () => {
    await requireFailedScan(sourceOf([], failure), tested, existing, /^failed$/)
    for (const error of [failure, new TypeError('fetch failed'), undefined]) {
      await assert.rejects(
        requireFailedScan(sourceOf([], error ?? null), tested, existing, /^timeout$/),
        assert.AssertionError,
      )
    }
  })

  test('shows a secret, a text of a library, or nothing of use', () => {
    for (const message of [
      'EC2 rejects the secret.',
      'EC2: connect ECONNREFUSED 127.0.0.1:80',
      'EC2: Unexpected token < in JSON at position 0',
      'It failed.',
      'The list is not complete.',
      'The response is not valid.',
    ]) {
      const error = new SourceError('failed', message)
      assert.throws(() => requireSourceError(error, tested), assert.AssertionError, message)
    }
  })

  test('does not name its socket', () => {
    const local = { kind: incusKind, settings: { ...settings, address: 'unix:///run/one.socket' } }
    const requireNamed = (socket: string) =>
      requireSourceError(new SourceError('timeout', `${socket}: no response.`), local)
    requireNamed('The socket /run/one.socket')
    assert.throws(() => requireNamed('A socket'), assert.AssertionError)
  })

  test('shows a credential in a cause, encoded or in part', () => {
    const credentials = { user: 'muster', token: 'reader=0123456789abcdef' }
    const requireNone = (shown: unknown) =>
      requireNoSecret(shown, { address: '', credentials, options: {} })
    requireNone(new SourceError('failed', 'EC2 could not list servers.', { cause: failure }))
    const headers = { authorization: btoa(`muster:${credentials.token}`) }
    for (const shown of [
      'at 0123456789abcdef',
      btoa(credentials.token),
      new SourceError('failed', 'failed', { cause: new Error(credentials.token) }),
      new SourceError('failed', 'failed', { cause: { request: { headers } } }),
    ]) {
      assert.throws(() => requireNone(shown), /a credential is shown/)
    }
  })

  test('leaves out facts or resources without a reason', async () => {
    const networks = [{ id: 'n', name: 'n' }]
    const before = await scanWhole(sourceOf([{ present: servers, resources: { networks } }]))
    const requireWhole = (...pages: Partial<ScanPage>[]) =>
      requireSameOrReason(sourceOf(pages), tested, before)
    const changed = { ...two, facts: { ...two.facts, vcpu_count: 2 } }
    const unreadable = [{ key: two.key, name: 'two', reason: 'It is locked.' }]
    const forbidden = { permission: 'read', servers: 1 }
    await requireWhole({ present: servers, resources: { networks } })
    await requireWhole({ present: [one], unreadable, resources: { networks } })
    await requireWhole({ present: [one, changed], forbidden })
    await assert.rejects(requireWhole({ present: [one], forbidden }), /without a server/)
    await assert.rejects(requireWhole({ present: [one, changed] }), /facts are left out/)
    for (const changed of [[], [{ id: 'n', name: 'other' }]]) {
      const pages = { present: servers, resources: { networks: changed } }
      await assert.rejects(requireWhole(pages), /reports networks n differently/)
    }
  })

  test('gets nothing for an existing server', async () => {
    await assert.rejects(requireNotGone(sourceOf([]), tested, existing), /is gone/)
  })
})
