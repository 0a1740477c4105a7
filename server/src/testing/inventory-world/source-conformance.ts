import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { SourceKind } from '../../domain/sources/source.ts'
import { requireSourceError } from './check-fault.ts'
import { reportGap } from './report-gap.ts'
import { scanAll, withSource } from './scan-source.ts'
import type { FaultSetup, SourceBackEnd } from './source-back-end.ts'
import { testCertificates } from './test-certificates.ts'
import { testChanges } from './test-changes.ts'
import { testConnectionFaults } from './test-connection-faults.ts'
import { testEvents } from './test-events.ts'
import { testHttpFaults } from './test-http-faults.ts'
import { testOtherRequests } from './test-other-requests.ts'
import { testMany, testPaging } from './test-paging.ts'
import { testReading } from './test-reading.ts'
import { testUnusualServers } from './test-unusual-servers.ts'
import { test } from './timed-test.ts'

export {
  conformanceContext,
  getReadable,
  requireServer,
  scanAll,
  withSource,
} from './scan-source.ts'
export type { FaultSetup, HttpFaultSetup, SourceBackEnd } from './source-back-end.ts'
export { createMemoryState } from './memory-state.ts'
export { sendCall } from './act-on-source.ts'
export { testActing } from './test-acting.ts'
export { testReading } from './test-reading.ts'

/** Wrong settings that only a connection shows. */
function testWrongSettings(kind: SourceKind, backEnd: () => SourceBackEnd): void {
  void test('explains that nothing listens at the address', async () => {
    const { unreachableSettings: settings } = backEnd()
    await assert.rejects(withSource(kind, settings, scanAll), (error) => {
      requireSourceError(error, { kind, settings }, /^(unreachable|timeout)$/)
      return true
    })
  })

  void test('explains that the credentials are rejected, without a secret', async (context) => {
    const { wrongSettings: settings } = backEnd()
    if (typeof settings === 'string') return reportGap(context, settings)
    await assert.rejects(withSource(kind, settings, scanAll), (error) => {
      requireSourceError(error, { kind, settings }, /^(credentials|tls)$/)
      return true
    })
  })
}

/**
 * All tests that a source has to pass, against a back end that Muster did not write. What only one kind
 * has, such as its fields, is tested beside it.
 */
export function describeConformance(
  kind: SourceKind,
  backEnd: () => SourceBackEnd,
  faults: FaultSetup,
): void {
  void describe(`conformance: ${kind.title}`, () => {
    testReading(kind, backEnd)
    testChanges(kind, backEnd)
    testUnusualServers(kind, backEnd)
    testWrongSettings(kind, backEnd)
    if (kind.hasEvents) testEvents(kind, backEnd, faults)
    testConnectionFaults(kind, faults)
    if ('http' in faults) {
      testHttpFaults(kind, faults.http)
      testOtherRequests(kind, faults.http)
      testCertificates(kind, faults.http)
      testPaging(kind, faults.http)
    }
    testMany(kind, backEnd)
  })
}
