import type { Database } from '../database.ts'

interface Numbers {
  readonly server: number
  readonly word: number
  readonly revision: number
}

/** Takes numbers that nobody else gets, so many of each; answers the first. */
export async function takeNumbers(database: Database, counts: Partial<Numbers>): Promise<Numbers> {
  const { server = 0, word = 0, revision = 0 } = counts
  const take = database.read
    .updateTable('fleet_numbers')
    .set((row) => ({
      server: row('server', '+', server),
      word: row('word', '+', word),
      revision: row('revision', '+', revision),
    }))
    .returning(['server', 'word', 'revision'])
    .compile()
  const [outcome] = await database.commit([take])
  const next = outcome?.rows[0] as Record<keyof Numbers, unknown>
  return {
    server: Number(next.server) - server,
    word: Number(next.word) - word,
    revision: Number(next.revision) - revision,
  }
}
