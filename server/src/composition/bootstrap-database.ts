import { randomBytes } from 'node:crypto'
import { ConfigError } from '../config/parsers.ts'
import { requireGoodPassword } from '../domain/identity/password-rules.ts'
import type { PasswordHasher } from '../domain/identity/ports.ts'
import type { Database } from '../storage/database.ts'
import { createInitialDataStore } from '../storage/initial-data.ts'

/**
 * Creates the initial data at the first start. Returns the admin's password if it was generated.
 */
export async function bootstrapDatabase(
  database: Database,
  hasher: PasswordHasher,
  configuredPassword: string | undefined,
  now: number,
): Promise<string | undefined> {
  const initialData = createInitialDataStore(database)
  if (await initialData.exists()) return undefined
  if (configuredPassword !== undefined) await requireGoodAdminPassword(configuredPassword)
  const password = configuredPassword ?? randomBytes(18).toString('base64url')
  const isFirst = await initialData.create(await hasher.hash(password), now)
  return isFirst && configuredPassword === undefined ? password : undefined
}

async function requireGoodAdminPassword(password: string): Promise<void> {
  try {
    await requireGoodPassword(password)
  } catch (error) {
    throw new ConfigError(`MUSTER_ADMIN_PASSWORD is not acceptable. ${(error as Error).message}`)
  }
}
