import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { SourceKind, SourceSettings } from '../../domain/sources/source.ts'
import { certificateOf, testAuthority, type TestCertificate } from '../secure-server.ts'
import { requireSourceError } from './check-fault.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { reportGap } from './report-gap.ts'
import { scanAll, withSource } from './scan-source.ts'
import type { HttpFaultSetup } from './source-back-end.ts'
import { test } from './timed-test.ts'

const fingerprint = new X509Certificate(certificateOf('issued')).fingerprint256

/** HTTPS with right and wrong certificates. The kind has the options of `tls-settings.ts`. */
export function testCertificates(kind: SourceKind, faults: () => HttpFaultSetup): void {
  const hasOption = (name: string) => kind.options.some((option) => option.name === name)

  async function scanBy(
    context: TestContext,
    certificate: TestCertificate,
    options: SourceSettings['options'],
  ) {
    const setup = faults()
    const proxy = await startFaultProxy(context, { ...setup, certificate })
    const plain = setup.settingsAt(proxy.url)
    const settings = { ...plain, options: { ...plain.options, ...options } }
    assert.deepEqual(kind.check(settings), [])
    return { settings, proxy, scanned: withSource(kind, settings, scanAll) }
  }

  async function requireRejection(
    context: TestContext,
    certificate: TestCertificate,
    options: SourceSettings['options'],
  ): Promise<void> {
    const { settings, proxy, scanned } = await scanBy(context, certificate, options)
    await assert.rejects(scanned, (error) => {
      requireSourceError(error, { kind, settings }, /^tls$/)
      return true
    })
    assert.equal(proxy.requests.length, 0, 'a request was sent in spite of the certificate')
  }

  void test('rejects a certificate of an unknown authority', (context) =>
    requireRejection(context, 'issued', {}))

  void test('accepts a certificate of the given authority only', async (context) => {
    if (!hasOption('ca')) return reportGap(context, 'The source has no option "ca".')
    const ca = testAuthority
    const { scanned } = await scanBy(context, 'issued', { ca })
    assert.ok((await scanned).size > 0)
    await requireRejection(context, 'expired', { ca })
    await requireRejection(context, 'elsewhere', { ca })
  })

  void test('accepts the certificate with the given fingerprint only', async (context) => {
    if (!hasOption('fingerprint')) {
      return reportGap(context, 'The source has no option "fingerprint".')
    }
    const { scanned } = await scanBy(context, 'issued', { fingerprint })
    assert.ok((await scanned).size > 0)
    await requireRejection(context, 'elsewhere', { fingerprint })
  })

  void test('reports that a port does not use TLS', async (context) => {
    const setup = faults()
    const proxy = await startFaultProxy(context, setup)
    const { port } = new URL(proxy.url)
    const settings = setup.settingsAt(`https://localhost:${port}`)
    await assert.rejects(withSource(kind, settings, scanAll), (error) => {
      requireSourceError(error, { kind, settings }, /^tls$/)
      return true
    })
  })
}
