import type { AccountRun } from './account-run.ts'
import { sourceAnswered } from './account-state.ts'
import { limitServer } from './limit-facts.ts'
import { maxCutNames } from './record-pages.ts'
import { createRecordTogether } from './record-together.ts'
import type { ReportedServer, SourceUpdate } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'
import { unreadableById } from './warning-texts.ts'

/** Records what a running account learns about single servers: from events, tasks and refreshes. */
export function createUpdateRecorder(run: AccountRun, requestScan: () => void) {
  const { account, sightings, warnings, scanConflicts, clock, save } = run

  /** Records reports about single servers. They are newer than those of a running scan. */
  async function recordUpdate(
    { present, unreadable = [] }: Omit<SourceUpdate, 'gone'>,
    goneIds: readonly string[],
  ): Promise<void> {
    const presentIds = present.map(serverIdOf)
    const readable = [...presentIds, ...goneIds]
    const ids = [...readable, ...unreadable.map(serverIdOf)]
    if (ids.length === 0) return
    const recorder = await run.openRecorder()
    await scanConflicts.claim(ids)
    const known = await sightings.of(account.id, ids)
    const cut = new Map<string, string>()
    const changed = presentIds.flatMap((id, at) => {
      const { server, isCut } = limitServer(present[at] as ReportedServer)
      if (isCut) cut.set(id, cut.size < maxCutNames ? server.facts.name : '')
      return recorder.findChange(id, server, known.get(id)) ?? []
    })
    await recorder.record(changed, goneIds, known)
    await recorder.recordUnreadable(unreadable, known)
    run.apply((state) => sourceAnswered(state, clock()))
    if (warnings.update({ readable, unreadable: unreadableById(unreadable), cut })) {
      await save({ warnings: warnings.current() })
    }
  }

  /** Servers that tasks found deleted while the stream read its next update. */
  const deletedMeanwhile = new Set<string>()
  let isWatching = false

  /**
   * An update of the stream may have been read before a task deleted the server, and be recorded after it.
   * Then a scan decides.
   */
  async function recordStreamed(update: SourceUpdate): Promise<void> {
    const isLate = (server: ReportedServer) => deletedMeanwhile.has(serverIdOf(server))
    const present = update.present.filter((server) => !isLate(server))
    deletedMeanwhile.clear()
    if (present.length < update.present.length) requestScan()
    await recordUpdate(
      { ...update, present },
      update.gone.map((key) => serverIdOf({ key })),
    )
  }

  /** Records what was read about a server; undefined if the source does not have it. */
  const recordReading = createRecordTogether(async (update, goneIds) => {
    if (isWatching) for (const id of goneIds) deletedMeanwhile.add(id)
    await recordUpdate(update, goneIds)
  })

  return {
    startWatching(): void {
      isWatching = true
    },
    recordStreamed,
    recordReading,
  }
}
