import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import type { ChangePosition, ChangeRecord } from '../../domain/inventory/history/ports.ts'
import { undoChanges } from '../../domain/inventory/history/undo-changes.ts'
import type { StoredServer } from '../../domain/inventory/ports.ts'
import { inTurns, nextTurn } from '../../domain/next-turn.ts'
import type { Requester } from '../../domain/requester.ts'
import type { DatabaseReader, Row } from '../database.ts'
import { storedColumns, toStored, type StoredRow } from '../servers/server-writer.ts'
import { changeColumns, toChangeRecord } from './change-rows.ts'

/** A server, by its number, as it was after a commit. */
export type Version = Pick<ChangePosition, 'seq' | 'commit'>

/** So many servers are parsed, and changes undone, in a few milliseconds. */
const serversInTurn = 40
const undoneInTurn = 200

const keyOf = ({ seq, commit }: Version) => `${seq} ${commit}`

/** Changes of a server that follow each other, the newest first, and the version before those that are undone. */
interface Run {
  readonly seq: number
  readonly records: ChangeRecord[]
  undone: number
  version: Server | undefined
}

/**
 * Rebuilds versions of servers. Each is rebuilt from the first version after it that is stored whole, so a
 * server with thousands of changes takes no longer than another.
 */
export function createReadVersions({ db, run }: DatabaseReader) {
  /** The versions that are asked for, each with the commit of the next whole version. */
  function boundedOf(wanted: readonly Version[]) {
    const rows = wanted.map(
      ({ seq, commit }) => sql`(cast(${seq} as bigint), cast(${commit} as bigint))`,
    )
    return sql`wanted (server, commit_position) as (values ${sql.join(rows)}),
      bounded as (select server, commit_position, (select min(change_commits.position)
        from server_changes as whole inner join change_commits
          on change_commits.revision = whole.revision
        where whole.server = wanted.server and whole.former_version is not null
          and change_commits.position > wanted.commit_position) as end_position from wanted)`
  }

  function changesOf(wanted: readonly Version[]) {
    return sql`with ${boundedOf(wanted)},
      ranges as (select server, end_position, min(commit_position) as start_position from bounded
        group by server, end_position)
      select ${changeColumns}, ranges.end_position from ranges
      cross join server_changes as changed
      inner join change_commits on change_commits.revision = changed.revision
      where changed.server = ranges.server and change_commits.position > ranges.start_position
        and (ranges.end_position is null or change_commits.position <= ranges.end_position)
      order by changed.server, change_commits.position desc`
  }

  const documentsOf = (seqs: readonly number[]) =>
    db.selectFrom('server_documents').select(storedColumns).where('server', 'in', seqs)

  /** The first of the changes that end with a whole version has it. Others are undone from the current version. */
  function toRuns(rows: readonly Row[], current: ReadonlyMap<number, StoredServer>) {
    const runs = new Map<string, Run>()
    for (const row of rows) {
      const [seq, end] = [Number(row['server']), row['end_position'] as number | null]
      const key = `${seq} ${end}`
      const version = end === null ? current.get(seq)?.server : undefined
      const run = runs.get(key) ?? { seq, records: [], undone: 0, version }
      runs.set(key, run)
      run.records.push(toChangeRecord(row))
    }
    return Map.groupBy(runs.values(), ({ seq }) => seq)
  }

  async function undoUntil(run: Run, commit: number): Promise<Server | undefined> {
    for (const record of run.records.slice(run.undone)) {
      if (record.position.commit <= commit) break
      run.version = undoChanges(run.version, [record])
      run.undone += 1
      // An earlier version of Muster stored no whole versions.
      if (run.undone % undoneInTurn === 0) await nextTurn()
    }
    return run.version
  }

  return async function readVersions(wanted: readonly Version[], requester: Requester) {
    const current = new Map<number, StoredServer>()
    const versions = new Map<string, Server | undefined>()
    const bySeq = Map.groupBy(wanted, ({ seq }) => seq)
    for await (const some of inTurns([...bySeq.values()], serversInTurn)) {
      const piece = some.flatMap((ofOne) => ofOne.toSorted((a, b) => b.commit - a.commit))
      const seqs = [...new Set(piece.map(({ seq }) => seq))]
      const queries = [documentsOf(seqs).compile(), changesOf(piece).compile(db)]
      // Both are of one snapshot: otherwise a change could be missing.
      const [documents = [], rows = []] = await run(queries, requester)
      for (const stored of toStored(documents as unknown as StoredRow[])) {
        current.set(stored.seq, stored)
      }
      const runs = toRuns(rows, current)
      for (const { seq, commit } of piece) {
        const newestOf = ({ records }: Run) => records[0]?.position.commit ?? 0
        const [nearest] = (runs.get(seq) ?? [])
          .filter((one) => newestOf(one) > commit)
          .toSorted((a, b) => newestOf(a) - newestOf(b))
        const version = nearest ? await undoUntil(nearest, commit) : current.get(seq)?.server
        versions.set(keyOf({ seq, commit }), version)
      }
    }
    return { current, versionAt: (version: Version) => versions.get(keyOf(version)) }
  }
}
