import { timestamp } from '../../domain/timestamp.ts'
import type { DatabaseReader } from '../../storage/database.ts'

/** The time of the newest change of a server: a moment since which later ones are recorded. */
export async function newestChangeTime({ db }: Pick<DatabaseReader, 'db'>): Promise<string> {
  const { time } = await db
    .selectFrom('change_commits')
    .select((eb) => eb.fn.max('time').as('time'))
    .executeTakeFirstOrThrow()
  return timestamp(time)
}
