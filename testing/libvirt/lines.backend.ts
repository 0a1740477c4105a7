import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import {
  conformanceContext,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

const patience = () => AbortSignal.timeout(30_000)
const troubleIs = (kind: string) => (error: unknown) => {
  assert.ok(error instanceof SourceError)
  assert.equal(error.kind, kind, error.message)
  return true
}

describe('connections to a real libvirtd', () => {
  let one: TestLibvirt
  let other: TestLibvirt
  let guest: string
  before(async () => {
    ;[one, other] = await Promise.all([startLibvirt(), startLibvirt()])
    guest = await one.boot({ name: 'wanderer' })
  })
  after(() => Promise.all([one.stop(), other.stop()]))

  const at = (address: string, options: SourceSettings['options'] = {}): SourceSettings => ({
    address,
    credentials: {},
    options,
  })
  const byTls = (changes: Partial<SourceSettings> = {}): SourceSettings => ({
    address: one.tlsAddress,
    credentials: {
      client_certificate: one.certificates.client.certificate,
      client_key: one.certificates.client.key,
    },
    options: { ca: one.certificates.ca },
    ...changes,
  })

  /** libvirtd warns once for each connection that has too many calls in flight. */
  const requireNoWarning = () =>
    assert.doesNotMatch(readFileSync(join(one.folder, 'libvirtd.log'), 'utf8'), /max requests/)

  describe('by TLS', () => {
    test('reports the same as over the socket', async () => {
      assert.deepEqual(libvirtKind.check(byTls()), [])
      assert.equal(libvirtKind.hostOf(byTls()), 'localhost')
      const [near, far] = await Promise.all([
        withSource(libvirtKind, at(one.address), scanAll),
        withSource(libvirtKind, byTls(), scanAll),
      ])
      assert.equal(far.size, 1)
      assert.deepEqual(far, near)
    })

    test('accepts the certificate with the given fingerprint', async () => {
      const { fingerprint } = one.certificates
      const seen = await withSource(libvirtKind, byTls({ options: { fingerprint } }), scanAll)
      assert.equal(seen.size, 1)
      const wrong = byTls({ options: { fingerprint: other.certificates.fingerprint } })
      await assert.rejects(withSource(libvirtKind, wrong, scanAll), troubleIs('tls'))
    })

    test('rejects a certificate of an unknown authority', async () => {
      for (const options of [{}, { ca: other.certificates.ca }]) {
        await assert.rejects(withSource(libvirtKind, byTls({ options }), scanAll), troubleIs('tls'))
      }
    })

    test('reports that the daemon requires a client certificate', async () => {
      await assert.rejects(
        withSource(libvirtKind, byTls({ credentials: {} }), scanAll),
        troubleIs('tls'),
      )
    })

    test('rejects a certificate for another host name', async () => {
      const address = one.tlsAddress.replace('localhost', '127.0.0.1')
      await assert.rejects(withSource(libvirtKind, byTls({ address }), scanAll), troubleIs('tls'))
    })
  })

  test('uses one connection per account, with few concurrent calls', async () => {
    const world = { ...conformanceContext, accountId: 'account' }
    const open = () => libvirtKind.open(byTls(), world, patience())
    const [listening, scanning] = await Promise.all([open(), open()])
    const end = new AbortController()
    const news = listening.watch?.(end.signal)[Symbol.asyncIterator]()
    await news?.next()
    const reference = referTo(guest)
    const looks = Array.from({ length: 20 }, () => scanning.get(reference, patience()))
    await Promise.all([scanAll(scanning), ...looks])
    requireNoWarning()
    await scanning.close()
    end.abort()
    await listening.close()
  })

  test('recognises a guest on another host of its group', async () => {
    const group = { group: 'shop' }
    const before = [...(await withSource(libvirtKind, at(one.address, group), scanAll)).values()]
    assert.equal((await withSource(libvirtKind, at(other.address, group), scanAll)).size, 0)
    const xml = await one.virsh('dumpxml', guest, '--inactive')
    await other.define(xml.replaceAll(one.folder, other.folder))
    await other.virsh('start', guest)
    const after = [...(await withSource(libvirtKind, at(other.address, group), scanAll)).values()]
    assert.deepEqual(
      after.map(({ key }) => key),
      [['libvirt', 'shop', guest]],
    )
    assert.deepEqual(
      after.map(({ key }) => key),
      before.map(({ key }) => key),
    )
    const hosts = [before, after].map(([server]) => server?.facts.host_id)
    assert.deepEqual(hosts, [one.hostUuid, other.hostUuid])
    await other.virsh('destroy', guest)
    await other.virsh('undefine', guest)
  })

  test('reports that the daemon stopped, and the same guests when it is back', async () => {
    const before = await withSource(libvirtKind, at(one.address), scanAll)
    const source = await libvirtKind.open(at(one.address), conformanceContext, patience())
    const news = source.watch?.(patience())[Symbol.asyncIterator]()
    assert.ok(news)
    await news.next()
    const next = assert.rejects(news.next(), troubleIs('unreachable'))
    await one.kill()
    await next
    await assert.rejects(scanAll(source), troubleIs('unreachable'))
    await source.close()
    await assert.rejects(
      withSource(libvirtKind, at(one.address), scanAll),
      troubleIs('unreachable'),
    )
    await one.restart()
    assert.deepEqual(await withSource(libvirtKind, at(one.address), scanAll), before)
  })
})
