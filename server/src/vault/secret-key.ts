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
import type { SecretBox } from '../domain/secret-box.ts'
import { createSecretBox } from './secret-box.ts'
import type { Pseudonym } from '../domain/identity/ports.ts'

const keyLength = 32
/** 120 bits, in base64url. */
const demoPasswordLength = 20
/**
 * The key from the file outside of the database. Without it, encrypted values and pseudonyms are
 * useless.
 */
export interface SecretKey extends SecretBox {
  /** Distinguishes keys without revealing them. */
  readonly fingerprint: string
  readonly pseudonym: Pseudonym
  /** Derived, so that it need not be stored. For users of the demo only. */
  readonly demoPassword: (user: string) => string
}

function createSecretKey(key: Buffer): SecretKey {
  const derive = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url')
  return {
    fingerprint: derive('fingerprint', ''),
    pseudonym: (text) => derive('pseudonym', text),
    demoPassword: (user) => derive('demo password', user).slice(0, demoPasswordLength),
    ...createSecretBox(key),
  }
}

export const secretKeyExists = (file: string): boolean => existsSync(file)

/** Creates the file atomically, so that processes that start together use the same key. */
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

/** Reads the key, or creates it if the file does not exist. */
export function loadSecretKey(file: string): SecretKey {
  if (!existsSync(file)) makeKeyFile(file)
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new Error(`the secret key ${file} is readable by other users: run chmod 600 on it`)
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== keyLength) {
    throw new Error(`the secret key ${file} must contain ${keyLength} bytes in base64`)
  }
  return createSecretKey(key)
}
