import { randomBytes } from 'node:crypto'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { findSetting } from '../stored-settings.ts'

const name = 'change_position_key'

/** The key of the positions of changes. If processes start together, the first one wins. It is no secret that grants anything. */
export async function ensurePositionKey({
  db,
  commit,
}: DatabaseReader & DatabaseWriter): Promise<Buffer> {
  const stored = await findSetting(db, name)
  if (stored !== undefined) return Buffer.from(stored, 'base64')
  await commit([
    db
      .insertInto('settings')
      .values({ key: name, value: randomBytes(16).toString('base64') })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .compile(),
  ])
  return Buffer.from((await findSetting(db, name)) ?? '', 'base64')
}
