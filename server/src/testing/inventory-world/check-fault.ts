import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { coversRegion } from '../../domain/sources/failed-parts.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  FailedPart,
  ReportedServer,
  Source,
  SourceContext,
  SourceKind,
  SourceSettings,
} from '../../domain/sources/source.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { conformanceContext, idOf, scanAll, testTimeout, withSource } from './scan-source.ts'
import { referenceOf } from './server-reference.ts'

export type Servers = ReadonlyMap<string, ReportedServer>

/** With a short time limit, for tests in which the back end hangs. */
export const hangContext: SourceContext = { ...conformanceContext, timeLimit: 2_000 }

/** Texts of Node.js, undici, OpenSSL and JSON.parse. */
const rawText =
  /\bE[A-Z]{4,}\b|ERR_|HPE_|UND_|socket hang up|fetch failed|Unexpected (?:token|end)|in JSON|routines:|OpenSSL|undefined|\[object |Error:/

/** Such as "no list of servers", or "Nova in region one". */
const namedPart = /\b(?:list|pages|one) of (?:the )?\w|\w in region \w/i

/** A kind of source, and the settings with which a test opens it. */
export interface Tested {
  readonly kind: SourceKind
  readonly settings: SourceSettings
}

/** Fails unless the error is a `SourceError` of one of these kinds with a text for an operator. */
export function requireSourceError(
  error: unknown,
  { kind, settings }: Tested,
  kinds = /^/,
): asserts error is SourceError {
  assert.ok(error instanceof SourceError, `not a SourceError: ${inspect(error)}`)
  const { message } = error
  assert.match(error.kind, kinds, `${error.kind}: ${message}`)
  assert.doesNotMatch(message, rawText, 'the message has a text of a library')
  const socketPath = settings.address.replace(/^unix:\/\//, '')
  const names = [kind.hostOf(settings) ?? socketPath, ...kind.title.split(/\W+/)]
  assert.ok(
    names.some((name) => name !== '' && message.includes(name)) || namedPart.test(message),
    `the message names neither the host nor what failed: ${message}`,
  )
  requireNoSecret(error, settings)
}

/** The servers that a scan reports, the parts that it cannot read, and its error if it does not end normally. */
async function scanInFault(source: Source) {
  const seen = new Set<string>()
  const gone = new Set<string>()
  const failed: FailedPart[] = []
  let tenants: readonly string[] | undefined
  let error: unknown
  try {
    for await (const page of source.scan(testTimeout())) {
      failed.push(...(page.failed ?? []))
      tenants = page.tenants ?? tenants
      for (const server of [...page.present, ...(page.unreadable ?? [])]) seen.add(idOf(server))
      for (const key of page.gone) gone.add(derivedId('server', ...key))
    }
  } catch (thrown) {
    error = thrown ?? new Error('thrown without an error')
  }
  const unread = failed.filter(({ hasServers }) => hasServers !== true)
  const isUnread = ({ facts, tenant }: ReportedServer) =>
    unread.some(
      (part) =>
        coversRegion(part, facts.region_ext_id ?? '') &&
        [undefined, tenant?.id].includes(part.tenant),
    ) ||
    (tenants !== undefined && !tenants.includes(tenant?.id ?? ''))
  return { seen, gone, isUnread, error, partError: unread[0]?.error }
}

/**
 * Scans during a fault. Fails if an existing server would be removed: because it is reported as gone,
 * or because the scan ends normally without it. Returns the error of the scan.
 */
export async function scanWithoutLoss(source: Source, existing: Servers): Promise<unknown> {
  const { seen, gone, isUnread, error, partError } = await scanInFault(source)
  const nameOf = (id: string) => existing.get(id)?.facts.name
  const removed = [...gone].filter((id) => existing.has(id)).map(nameOf)
  assert.deepEqual(removed, [], 'existing servers are reported as gone')
  if (error !== undefined) return error
  const missing = [...existing].filter(([id, server]) => !seen.has(id) && !isUnread(server))
  assert.deepEqual(
    missing.map(([id]) => nameOf(id)),
    [],
    'the scan ends normally without these servers',
  )
  return partError
}

/** Scans during a fault that must be an error. */
export async function requireFailedScan(
  source: Source,
  tested: Tested,
  existing: Servers,
  kinds?: RegExp,
): Promise<void> {
  const error = await scanWithoutLoss(source, existing)
  assert.ok(error !== undefined, 'the scan ends normally in spite of the fault')
  requireSourceError(error, tested, kinds)
}

/** Scans a newly opened source during a fault. Opening it may fail, too. */
export async function requireNoLossInNewSource(
  tested: Tested,
  existing: Servers,
  context = conformanceContext,
): Promise<void> {
  const { kind, settings } = tested
  let error: unknown
  try {
    error = await withSource(kind, settings, (source) => scanWithoutLoss(source, existing), context)
  } catch (thrown) {
    if (thrown instanceof assert.AssertionError) throw thrown
    error = thrown
  }
  if (error !== undefined) requireSourceError(error, tested)
}

/** Gets an existing server during a fault: the server or an error, never that it is gone. */
export async function requireNotGone(
  source: Source,
  tested: Tested,
  existing: Servers,
): Promise<void> {
  const [server] = existing.values()
  assert.ok(server)
  let found: unknown
  try {
    found = await source.get(referenceOf(server), testTimeout())
  } catch (error) {
    return requireSourceError(error, tested)
  }
  assert.ok(found !== undefined, `get reports that ${server.facts.name} is gone`)
}

/** After a fault the source reports the same servers as before. */
export async function requireSameServers(source: Source, existing: Servers): Promise<void> {
  const servers = await scanAll(source)
  assert.deepEqual([...servers.keys()].sort(), [...existing.keys()].sort())
}
