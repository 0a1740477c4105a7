import { statSync, utimesSync } from 'node:fs'
import { ConfigError } from '../config/parsers.ts'
import { chunk } from '../domain/chunk.ts'
import {
  demoPasswordsContext,
  readDemoPasswords,
  storeDemoPasswords,
} from '../storage/demo-passwords.ts'
import { findDemoRecord } from '../storage/demo-record.ts'
import { listEncryptedValues } from '../storage/encrypted-values.ts'
import { findKeyFingerprints, replaceKeyFingerprints } from '../storage/key-fingerprint.ts'
import { readKeyFile, writeKeyFile } from '../vault/key-file.ts'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import type { AdminContext } from './command.ts'

/** A request that began before the listed keys were changed may still write with the old key. */
const longestRequest = 30_000
const valuesPerCommit = 100

type Database = AdminContext['database']
export type Wait = (milliseconds: number) => Promise<unknown>
type Context = Pick<AdminContext, 'database' | 'key' | 'progress'>

/**
 * Adds the first key of the file to those of the database. From then on the key encrypts, and a process
 * without it is not ready. Returns false if it was listed before.
 */
export async function announceKey(database: Database, file: string): Promise<boolean> {
  const fingerprint = loadSecretKey(file).currentFingerprint()
  const listed = (await findKeyFingerprints(database.db))?.split(' ') ?? []
  if (listed.includes(fingerprint)) return false
  await database.commit([replaceKeyFingerprints(database.db, [...listed, fingerprint])])
  // The time of the announcement, which `finishRotation` counts from.
  utimesSync(file, new Date(), new Date())
  return true
}

/**
 * Encrypts all values with the current key, then removes the old keys. The file is changed last, so
 * an interrupted command can be repeated.
 */
export async function finishRotation(
  { config, database, print, progress }: AdminContext,
  wait: Wait,
): Promise<void> {
  const waitForRequests = async (since: number) => {
    const rest = since + longestRequest - Date.now()
    if (rest <= 0) return
    progress(`Waiting ${Math.ceil(rest / 1_000)} s for requests that still use the old key.`)
    await wait(rest)
  }
  const file = config.secretKeyFile
  const [current, ...old] = readKeyFile(file)
  if (old.length === 0) throw new ConfigError('there is no rotation to finish')
  if (old.some(({ isNext }) => isNext)) {
    throw new ConfigError('the new key is not in use yet: run muster admin rotate-key --activate')
  }
  await announceKey(database, file)
  await waitForRequests(statSync(file).mtimeMs)
  // Not the key of a running server, which follows the list in the database and remembers removed keys.
  const key = loadSecretKey(file)
  const context = { database, key, progress }
  await keepDemoPasswords(context)
  await encryptAll(context)
  await database.commit([replaceKeyFingerprints(database.db, [key.currentFingerprint()])])
  // A process that did not have the new file may have encrypted with the old key until now.
  if (database.engine === 'postgres') await waitForRequests(Date.now())
  const unreadable = await encryptAll(context)
  for (const title of unreadable) progress(`No key decrypts the ${title}: it is left as it is.`)
  writeKeyFile(file, [current])
  print('All values are encrypted with the new key. The old key is removed from the key file.')
  if (database.engine === 'postgres') print(`Copy ${file} to every node.`)
}

/** Repeats until nothing is left, because requests change values meanwhile. Returns what no key decrypts. */
async function encryptAll({ database, key, progress }: Context): Promise<readonly string[]> {
  let unreadable: string[] = []
  for (let written = 0; ;) {
    const values = await listEncryptedValues(database.db)
    const outdated = values.filter(({ value, context }) => !key.isCurrent(value, context))
    unreadable = []
    const statements = outdated.flatMap(({ title, value, context, replaceWith }) => {
      try {
        return [replaceWith(key.encrypt(key.decrypt(value, context), context))]
      } catch {
        unreadable.push(title)
        return []
      }
    })
    if (statements.length === 0) return unreadable
    for (const commit of chunk(statements, valuesPerCommit)) {
      await database.commit(commit)
      written += commit.length
      progress(`Encrypted with the new key: ${written}`)
    }
  }
}

/** Demo passwords derive from the old key. They are stored, so that the login page can still show them. */
async function keepDemoPasswords({ database, key }: Context): Promise<void> {
  const { db } = database
  if (!(await findDemoRecord(db))) return
  const passwords: Record<string, string> = { ...(await readDemoPasswords(db, key)) }
  const users = await db.selectFrom('users').select(['name', 'password_hash']).execute()
  const hasher = createPasswordHasher()
  for (const { name, password_hash } of users) {
    const password = key.demoPassword(name)
    const isDerived = await hasher.inTurn((compare) => compare(password_hash, password))
    if (isDerived) passwords[name] = password
  }
  const encrypted = key.encrypt(JSON.stringify(passwords), demoPasswordsContext)
  await database.commit([storeDemoPasswords(db, encrypted)])
}
