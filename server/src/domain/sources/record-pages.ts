import type { Sighting } from '../inventory/ports.ts'
import type { Recorded } from '../inventory/record-servers.ts'
import type { SyncCounts } from './account.ts'
import { IdTable } from './id-table.ts'
import { limitServer, limitText } from './limit-facts.ts'
import type { ChangedServer } from './record-scan.ts'
import { createScanWriter, type WriterOptions } from './scan-writer.ts'
import type { FailedPart, Forbidden, ReportedServer, ScanPage, UnreadableServer } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

export interface PageOptions extends WriterOptions {
  readonly signal: AbortSignal
  /** Whether a newer report about the server arrived after the scan began. */
  readonly isSuperseded: (id: string) => boolean
  readonly onProgress: (counts: SyncCounts) => void
}

/** How many cut or unreadable servers, hosts and networks are named. Further ones are only counted. */
export const maxCutNames = 100

/** What the pages of a scan have told so far. */
const createScanReport = () => ({
  seen: new IdTable(),
  /** Servers that the source itself reports as gone. They are removed without a hold. */
  reportedGone: new Set<string>(),
  unreadable: [] as UnreadableServer[],
  cut: new Map<string, string>(),
  forbidden: [] as Forbidden[],
  failed: [] as FailedPart[],
  /** How many known servers the source has. */
  present: 0,
  presentByRegion: new Map<string, number>(),
  /** The regions that the source lists; undefined if it does not tell. */
  regions: undefined as ReadonlySet<string> | undefined,
  areRegionsGiven: false,
  /** The tenants that were read; undefined if all were. */
  tenants: undefined as ReadonlySet<string> | undefined,
})
export type ScanReport = Readonly<ReturnType<typeof createScanReport>>

/** Records the pages of a scan as they arrive. */
export function createPageRecorder(options: PageOptions) {
  const { recorder, known, signal, isSuperseded, onProgress } = options
  const report = createScanReport()
  const counts = { seen: 0, created: 0, changed: 0, gone: 0 }
  const resources = recorder.collectResources()
  const writer = createScanWriter(options, addRecorded)

  function addRecorded(recorded: Recorded): void {
    counts.created += recorded.created
    counts.changed += recorded.changed
    counts.gone += recorded.gone
    onProgress({ ...counts })
  }

  /** Counts a reported server once. Returns its id and the last report about it. */
  function countSeen(server: ReportedServer | UnreadableServer) {
    const id = serverIdOf(server)
    const before = known.get(id)
    const isRepeated = report.seen.add(id) < counts.seen
    counts.seen = report.seen.size
    if (before && !isRepeated) {
      report.present += 1
      const region = 'facts' in server ? (server.facts.region_ext_id ?? '') : ''
      report.presentByRegion.set(region, (report.presentByRegion.get(region) ?? 0) + 1)
    }
    return { id, before }
  }

  const noteCut = (id: string, name: string) =>
    report.cut.set(id, report.cut.size < maxCutNames ? name : '')

  /** The reason is stored with a server that is known. Of the others, the first ones are named. */
  function limitUnreadable(
    { name, reason }: UnreadableServer,
    id: string,
    before: Sighting | undefined,
  ): UnreadableServer {
    const isNamed = report.unreadable.length < maxCutNames
    return {
      key: [id],
      name: isNamed ? limitText(name) || id : '',
      reason: isNamed || before ? limitText(reason) : '',
    }
  }

  /** Undefined if nothing changed since the last report. */
  function readPresent(reported: ReportedServer): ChangedServer | undefined {
    const { server, isCut } = limitServer(reported)
    resources.addServer(server)
    const { id, before } = countSeen(server)
    const change = isSuperseded(id) ? undefined : recorder.findChange(id, server, before)
    if (isCut) noteCut(id, server.facts.name)
    return change
  }

  async function recordPage(page: ScanPage): Promise<void> {
    if (page.regions) report.regions = new Set(page.regions)
    report.areRegionsGiven ||= page.areRegionsGiven === true
    if (page.tenants) report.tenants = new Set(page.tenants)
    report.failed.push(...(page.failed ?? []))
    if (page.forbidden) report.forbidden.push(page.forbidden)
    const cutResources = page.resources && resources.addReported(page.resources)
    for (const [id, name] of cutResources ?? []) noteCut(id, name)
    for (const server of page.present) {
      const change = readPresent(server)
      if (change) await writer.add(change)
    }
    for (const server of page.unreadable ?? []) {
      const { id, before } = countSeen(server)
      if (!isSuperseded(id)) report.unreadable.push(limitUnreadable(server, id, before))
    }
    const goneIds = page.gone.map((key) => serverIdOf({ key })).filter((id) => !isSuperseded(id))
    for (const id of goneIds) report.reportedGone.add(id)
    await writer.remove(goneIds)
    await writer.writeDue()
    onProgress({ ...counts })
  }

  return {
    report: report as ScanReport,
    counts,
    resources,
    addRecorded,

    /** Afterwards nothing is being written. */
    async record(pages: AsyncIterable<ScanPage> | Iterable<ScanPage>): Promise<void> {
      try {
        for await (const page of pages) await recordPage(page)
        signal.throwIfAborted()
        await writer.finish()
      } finally {
        await writer.settle()
      }
    },
  }
}
