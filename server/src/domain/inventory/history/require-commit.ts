import { PlatformError } from '../../error.ts'
import { timestamp } from '../../timestamp.ts'

/** The commits of which changes are recorded. */
export interface RecordedCommits {
  /** The first time about which the inventory can be asked. */
  firstTime(): Promise<number>
  /** The last commit at this time or earlier. */
  commitAt(time: number): Promise<number>
}

/** The last commit at a time, which the field of a request gives. */
export async function requireCommit(
  commits: RecordedCommits,
  time: number,
  now: number,
  field: string,
): Promise<number> {
  // Before the first commit, the clock of this process may be behind.
  const first = Math.min(await commits.firstTime(), now)
  if (time >= first) return await commits.commitAt(time)
  const since = timestamp(first)
  const problem = `is before the first recorded change, at ${since}. Of earlier times, only differences are known.`
  throw new PlatformError('InputParameterError', `${field} ${problem}`, {
    fields: [{ path: field, problem }],
    values: { recorded_since: since },
  })
}
