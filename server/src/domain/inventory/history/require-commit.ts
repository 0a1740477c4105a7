import { PlatformError } from '../../error.ts'
import { timestamp } from '../../timestamp.ts'

/** The commits of which changes are recorded. */
export interface RecordedCommits {
  /** The time of the first recorded commit; undefined before it. */
  firstTime(): Promise<number | undefined>
  /** The last commit at this time or earlier; undefined before the first. */
  commitAt(time: number): Promise<number | undefined>
}

/** The last commit at a time, which the field of a request gives. */
export async function requireCommit(
  commits: RecordedCommits,
  time: number,
  now: number,
  field: string,
): Promise<number> {
  const commit = await commits.commitAt(time)
  if (commit !== undefined) return commit
  const first = await commits.firstTime()
  const since = first === undefined || first > now ? undefined : timestamp(first)
  const problem = `is before the first recorded change${since === undefined ? ': none is recorded yet' : `, at ${since}`}. Of earlier times, only differences are known.`
  throw new PlatformError('InputParameterError', `${field} ${problem}`, {
    fields: [{ path: field, problem }],
    values: { recorded_since: since ?? '' },
  })
}
