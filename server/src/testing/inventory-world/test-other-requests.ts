import assert from 'node:assert/strict'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { requireSourceError, type Tested } from './check-fault.ts'
import { startFaultProxy, type ErrorResponse, type ProxiedRequest } from './fault-proxy.ts'
import { reportGap } from './report-gap.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { conformanceContext, idOf, testTimeout } from './scan-source.ts'
import type { HttpFaultSetup } from './source-back-end.ts'
import { test } from './timed-test.ts'

/** Requests that differ in numbers only, such as ids, have one pattern. */
const patternOf = ({ method, path, body }: ProxiedRequest) =>
  `${method} ${path} ${body}`.replaceAll(/\d+/g, '#')

/** All that a complete scan reports. Throws what the scan throws. */
export async function scanWhole(source: Source) {
  const servers = new Map<string, unknown>()
  const unreadable = new Map<string, string>()
  const resources = new Map<string, unknown>()
  let hasReason = false
  for await (const page of source.scan(testTimeout())) {
    for (const server of page.present) servers.set(idOf(server), server)
    for (const server of page.unreadable ?? []) unreadable.set(idOf(server), server.reason)
    for (const [kind, list] of Object.entries(page.resources ?? {})) {
      for (const resource of list) resources.set(`${kind} ${resource.id}`, resource)
    }
    const { failed = [] } = page
    const unread = failed.find(({ hasServers }) => hasServers !== true)
    if (unread) throw unread.error
    hasReason ||= page.forbidden !== undefined || failed.length > 0
  }
  return { servers, unreadable, resources, hasReason }
}
type WholeScan = Awaited<ReturnType<typeof scanWhole>>

/** The scan throws, or reports all that it reported before: what is missing must have a reason. */
export async function requireSameOrReason(
  source: Source,
  tested: Tested,
  before: WholeScan,
): Promise<void> {
  let now: WholeScan
  try {
    now = await scanWhole(source)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return requireSourceError(error, tested)
  }
  for (const reason of now.unreadable.values()) requireNoSecret(reason, tested.settings)
  for (const [id, server] of before.servers) {
    if (now.unreadable.has(id)) continue
    assert.ok(now.servers.has(id), 'the scan ends normally without a server')
    if (!now.hasReason) assert.deepEqual(now.servers.get(id), server, 'facts are left out')
  }
  // A network may be known only from a server that is now unreadable.
  if (now.hasReason || now.unreadable.size > 0) return
  for (const [id, resource] of before.resources) {
    assert.deepEqual(now.resources.get(id), resource, `the scan reports ${id} differently`)
  }
}

/** Faults of the requests of a scan that do not list servers: details, hosts, networks. */
export function testOtherRequests(kind: SourceKind, faults: () => HttpFaultSetup): void {
  void test('leaves out nothing without a reason if another request fails', async (context) => {
    const setup = faults()
    const openAt = async () => {
      const proxy = await startFaultProxy(context, setup)
      const settings = setup.settingsAt(proxy.url)
      const source = await kind.open(settings, conformanceContext, testTimeout())
      context.after(() => source.close())
      return { proxy, settings, source, opened: proxy.requests.length }
    }
    const { proxy, source, opened } = await openAt()
    const before = await scanWhole(source)
    const others = proxy.requests.slice(opened).filter((request) => !setup.listsServers(request))
    const patterns = new Set(others.map(patternOf))
    if (patterns.size === 0) return reportGap(context, 'A scan only lists servers.')

    const failOne = async (pattern: string, fault: ErrorResponse) => {
      const broken = await openAt()
      broken.proxy.inject(fault, (request) => patternOf(request) === pattern)
      const { settings } = broken
      await requireSameOrReason(broken.source, { kind, settings }, before).catch((error) => {
        throw new Error(`status ${fault.status} for ${pattern}: ${error}`, { cause: error })
      })
    }
    const responses = [{ status: 500 }, setup.errors.forbidden]
    await Promise.all(
      [...patterns].flatMap((pattern) => responses.map((fault) => failOne(pattern, fault))),
    )
  })
}
