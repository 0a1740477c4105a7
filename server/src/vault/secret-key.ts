import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
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
import type { Pseudonym } from '../domain/identity/ports.ts'

const keyLength = 32
/** Of 64 characters each: 120 bits. */
const demoPasswordLength = 20
const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
/** Says how a sealed text is to be opened, should a later one be sealed in another way. */
const sealVersion = 'v1.'

/** The key outside the database: what is sealed or hidden with it is worth nothing without it. */
export interface SecretKey extends SecretBox {
  /** Tells two keys apart without giving either away. */
  readonly fingerprint: string
  readonly pseudonym: Pseudonym
  /** The same whenever it is asked for, so that it need not be kept: for people of a demo only. */
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

/** AES-256-GCM under a key of its own. What a text belongs to is sealed with it, but not kept in it. */
function createSecretBox(key: Buffer): SecretBox {
  const sealingKey = Buffer.from(hkdfSync('sha256', key, '', 'muster: seal', keyLength))
  const options = { authTagLength: tagLength }
  return {
    encrypt(text, context) {
      const nonce = randomBytes(nonceLength)
      const sealing = createCipheriv(cipher, sealingKey, nonce, options)
      sealing.setAAD(Buffer.from(context))
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]
      return sealVersion + Buffer.concat(parts).toString('base64url')
    },
    decrypt(sealed, context) {
      try {
        const bytes = readSealed(sealed)
        const nonce = bytes.subarray(0, nonceLength)
        const opening = createDecipheriv(cipher, sealingKey, nonce, options)
        opening.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagLength))
        const content = bytes.subarray(nonceLength, -tagLength)
        return Buffer.concat([opening.update(content), opening.final()]).toString('utf8')
      } catch (cause) {
        throw new Error('a sealed text does not open: changed, moved, or of another key', { cause })
      }
    },
  }
}

/** Decoding overlooks characters that do not belong, so only the one right spelling is taken. */
function readSealed(sealed: string): Buffer {
  const bytes = Buffer.from(sealed.slice(sealVersion.length), 'base64url')
  if (sealed !== sealVersion + bytes.toString('base64url')) throw new Error('not a sealed text')
  return bytes
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
    throw new Error(`the secret key ${file} is readable by other users: run chmod 600 on it`)
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== keyLength) {
    throw new Error(`the secret key ${file} must contain ${keyLength} bytes in base64`)
  }
  return createSecretKey(key)
}
