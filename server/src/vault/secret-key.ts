import { createHmac } from 'node:crypto'
import type { Pseudonym } from '../domain/identity/ports.ts'
import type { SecretBox } from '../domain/secret-box.ts'
import { ensureKeyFile, readKeyFile } from './key-file.ts'
import { createSecretBox } from './secret-box.ts'

/** 120 bits, in base64url. */
const demoPasswordLength = 20

/**
 * The keys from the file outside of the database. Without them, encrypted values and pseudonyms are
 * useless. Several keys are there while a rotation is not finished.
 */
export interface SecretKey extends SecretBox {
  /** Distinguishes keys without revealing them. That of the oldest key, until it is removed. */
  readonly fingerprint: string
  readonly currentFingerprint: () => string
  /** Whether one of the keys has this fingerprint. */
  readonly hasFingerprint: (fingerprint: string) => boolean
  readonly pseudonym: Pseudonym
  /** Derived, so that it need not be stored. For users of the demo only. */
  readonly demoPassword: (user: string) => string
  /** Whether the current key has encrypted the text. */
  readonly isCurrent: (encrypted: string, context: string) => boolean
}

interface Key extends SecretBox {
  readonly text: string
  readonly isNext: boolean
  readonly fingerprint: string
  readonly derive: (purpose: string, text: string) => string
}

function createKey(text: string, isNext: boolean): Key {
  const key = Buffer.from(text, 'base64')
  const derive = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url')
  return { text, isNext, derive, fingerprint: derive('fingerprint', ''), ...createSecretBox(key) }
}

const loadKeys = (file: string) =>
  readKeyFile(file).map(({ text, isNext }) => createKey(text, isNext))

/** Reads the keys, or creates one if the file does not exist. */
export function loadSecretKey(file: string): SecretKey {
  ensureKeyFile(file)
  let keys = loadKeys(file)

  /**
   * Other threads, processes and operators change the file. Keys that were removed still decrypt in
   * this process. A file without any known key is a mistake, which the next start reports.
   */
  function reload(): void {
    try {
      const loaded = loadKeys(file)
      const isKnown = ({ text }: Key) => keys.some((key) => key.text === text)
      if (!loaded.some(isKnown)) return
      const isRemoved = ({ text }: Key) => !loaded.some((key) => key.text === text)
      keys = [...loaded, ...keys.filter(isRemoved)]
    } catch {
      // The file cannot be read for now.
    }
  }

  const current = () => keys[0] as Key
  /** What is derived stays the same until the oldest key is removed. */
  const oldest = () => keys.findLast(({ isNext }) => !isNext) as Key

  function decryptByAny(encrypted: string, context: string): string | undefined {
    for (const key of keys) {
      const text = tryDecrypt(key, encrypted, context)
      if (text !== undefined) return text
    }
    return undefined
  }

  return {
    get fingerprint() {
      return oldest().fingerprint
    },
    currentFingerprint() {
      reload()
      return current().fingerprint
    },
    hasFingerprint: (fingerprint) => keys.some((key) => key.fingerprint === fingerprint),
    pseudonym: (text) => oldest().derive('pseudonym', text),
    demoPassword: (user) => oldest().derive('demo password', user).slice(0, demoPasswordLength),
    isCurrent(encrypted, context) {
      reload()
      return tryDecrypt(current(), encrypted, context) !== undefined
    },
    encrypt(text, context) {
      reload()
      return current().encrypt(text, context)
    },
    decrypt(encrypted, context) {
      const text = decryptByAny(encrypted, context)
      if (text !== undefined) return text
      // Another process may have encrypted it with a new key.
      reload()
      return decryptByAny(encrypted, context) ?? current().decrypt(encrypted, context)
    },
  }
}

function tryDecrypt(key: SecretBox, encrypted: string, context: string): string | undefined {
  try {
    return key.decrypt(encrypted, context)
  } catch {
    return undefined
  }
}
