import type { Kysely } from 'kysely'
import type { SecretBox } from '../domain/secret-box.ts'
import type { Statement } from './database.ts'
import { findSetting, removeSetting, storeSetting } from './stored-settings.ts'
import type { Tables } from './tables.ts'

const name = 'demo_passwords'
export const demoPasswordsContext = 'settings demo_passwords'

/** The passwords of demo users by name. Only stored if they derive from a secret key that was replaced. */
export type DemoPasswords = Readonly<Record<string, string>>

/** Encrypted; undefined if all derive from the secret key in use. */
export const findDemoPasswords = (db: Kysely<Tables>): Promise<string | undefined> =>
  findSetting(db, name)

export async function readDemoPasswords(
  db: Kysely<Tables>,
  secretBox: Pick<SecretBox, 'decrypt'>,
): Promise<DemoPasswords> {
  const encrypted = await findDemoPasswords(db)
  if (encrypted === undefined) return {}
  return JSON.parse(secretBox.decrypt(encrypted, demoPasswordsContext)) as DemoPasswords
}

export const storeDemoPasswords = (db: Kysely<Tables>, encrypted: string): Statement =>
  storeSetting(db, name, encrypted)

export const removeDemoPasswords = (db: Kysely<Tables>): Statement => removeSetting(db, name)
