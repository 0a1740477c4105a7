import { createHmac } from 'node:crypto'
import { PlatformError } from '../domain/error.ts'
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
  /** Distinguishes keys without revealing them. That of the oldest key in the file. */
  readonly fingerprint: string
  /** That of the first key in the file, which encrypts once the database lists it. */
  readonly currentFingerprint: () => string
  /** Whether all fingerprints in the list, which are separated by spaces, are of these keys. */
  readonly hasFingerprints: (list: string) => boolean
  /**
   * From now on, the keys are those that the database lists. `read` returns the list. While it is not
   * recent, nothing is encrypted, because the list may have changed.
   */
  readonly follow: (read: () => string | undefined, isRecent?: () => boolean) => void
  /** For an operator: that the file lacks a key that the database lists. */
  readonly problem: () => string | undefined
  /** Throws if there is a problem, without the details that only an operator may see. */
  readonly requireKeys: () => void
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

const toList = (list: string | undefined) => list?.split(' ')

/** Reads the keys, or creates one if the file does not exist. */
export function loadSecretKey(file: string): SecretKey {
  ensureKeyFile(file)
  let inFile = loadKeys(file)
  /** Keys that were removed from the file still decrypt in this process. */
  let removed: readonly Key[] = []
  let readList: () => string | undefined = () => undefined
  let isListRecent = () => true

  const all = () => [...inFile, ...removed]
  const find = (fingerprint: string | undefined) =>
    all().find((key) => key.fingerprint === fingerprint)
  const isIn = (keys: readonly Key[]) => (one: Key) => keys.some(({ text }) => text === one.text)

  /**
   * Other threads, processes and operators change the file. Its keys are used if one of them is known,
   * is listed in the database, or passes the test. Otherwise the file is that of another installation.
   */
  function reload(test: (key: Key) => boolean = () => false): void {
    try {
      const loaded = loadKeys(file)
      const listed = toList(readList()) ?? []
      const isListed = ({ fingerprint }: Key) => listed.includes(fingerprint)
      if (!loaded.some((key) => isIn(inFile)(key) || isListed(key) || test(key))) return
      removed = all().filter((key) => !isIn(loaded)(key))
      inFile = loaded
    } catch {
      // The file cannot be read for now.
    }
  }

  const hasFingerprints = (list: string) =>
    toList(list)?.every((fingerprint) => find(fingerprint)) === true

  function problem(): string | undefined {
    const list = readList()
    if (list === undefined || hasFingerprints(list)) return undefined
    reload()
    return hasFingerprints(list)
      ? undefined
      : `The secret key ${file} lacks a key that the database uses. Copy the key file from the node where the key was rotated, or the key file that belongs to this database.`
  }

  const unavailable = (reason: string) =>
    new PlatformError('ServiceUnavailable', reason, { retryAfter: 1 })

  function requireKeys(): void {
    if (problem() === undefined) return
    throw unavailable('This node lacks a secret key that the database uses. See its log.')
  }

  /** The first key of the file that the database lists: others do not have a key that is not. */
  function current(): Key {
    if (!isListRecent()) throw unavailable('The database does not respond.')
    const listed = toList(readList())
    const key = listed ? all().find((one) => listed.includes(one.fingerprint)) : inFile[0]
    if (key) return key
    requireKeys()
    throw unavailable('The secret key was changed. Try again.')
  }

  const oldestInFile = () => inFile.findLast(({ isNext }) => !isNext) as Key
  /** Derived values stay the same until the rotation is finished. Then they change in all processes. */
  const oldest = () => find(toList(readList())?.[0]) ?? oldestInFile()

  function decryptByAny(encrypted: string, context: string): string | undefined {
    for (const key of all()) {
      const text = tryDecrypt(key, encrypted, context)
      if (text !== undefined) return text
    }
    return undefined
  }

  return {
    get fingerprint() {
      return oldestInFile().fingerprint
    },
    currentFingerprint() {
      reload()
      return (inFile[0] as Key).fingerprint
    },
    hasFingerprints,
    follow(read, isRecent = () => true) {
      readList = read
      isListRecent = isRecent
    },
    problem,
    requireKeys,
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
      reload((key) => tryDecrypt(key, encrypted, context) !== undefined)
      const second = decryptByAny(encrypted, context)
      if (second !== undefined) return second
      requireKeys()
      return (inFile[0] as Key).decrypt(encrypted, context)
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
