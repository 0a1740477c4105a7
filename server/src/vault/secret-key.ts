import { createHmac, randomBytes } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Pseudonym } from '../domain/identity/ports.ts'

const keyLength = 32

/** The key outside the database: what is sealed or hidden with it is worth nothing without it. */
export interface SecretKey {
  /** Tells two keys apart without giving either away. */
  readonly fingerprint: string
  readonly pseudonym: Pseudonym
}

function createSecretKey(key: Buffer): SecretKey {
  const derive = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url')
  return {
    fingerprint: derive('fingerprint', ''),
    pseudonym: (text) => derive('pseudonym', text),
  }
}

export const secretKeyExists = (file: string): boolean => existsSync(file)

/** Makes a key in one step, so that of processes that start together all take the first one's. */
function makeKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(keyLength).toString('base64')}\n`, {
    mode: 0o600,
    flush: true,
  })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}

/** Reads the key, or makes it where there is none yet. */
export function loadSecretKey(file: string): SecretKey {
  if (!existsSync(file)) makeKeyFile(file)
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new Error(`the secret key ${file} is open to others: chmod 600 it`)
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== keyLength) {
    throw new Error(`the secret key ${file} does not hold ${keyLength} bytes in base64`)
  }
  return createSecretKey(key)
}
