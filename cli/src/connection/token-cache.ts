import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { Environment } from '../io.ts'
import { cacheFolder } from './folders.ts'
import { readJson, writePrivateJson } from './private-file.ts'
import type { StoredToken } from './profiles.ts'
import type { Settings } from './settings.ts'

interface Entry extends StoredToken {
  readonly salt: string
  /** Proves that the password is the one that the token was issued for. */
  readonly proof: string
}

type CacheFile = Readonly<Record<string, Entry>>

/** A token is not used in its last minute. */
const margin = 60_000

/** Low, because the file also has the token: it only keeps a password from being guessed at once. */
const cost = { N: 4096, r: 8, p: 1 } as const

const proofOf = (secret: string, salt: string): Buffer => scryptSync(secret, salt, 32, cost)

const isAlive = ({ expiresAt }: StoredToken): boolean => Date.parse(expiresAt) - margin > Date.now()

/**
 * Caches the token of a password or an access key, so that the next command need not log in. An entry
 * counts only for the same addresses, user, scope and password.
 */
export function createTokenCache(environment: Environment, settings: Settings) {
  const { credential, authUrl, url, scope } = settings
  const file = join(cacheFolder(environment), 'tokens.json')
  const secret =
    credential?.method === 'password'
      ? credential.password
      : credential?.method === 'key'
        ? credential.secret
        : undefined
  const who =
    credential?.method === 'password'
      ? credential.user
      : credential?.method === 'key'
        ? credential.accessKey
        : undefined
  const name = createHash('sha256')
    .update(JSON.stringify([authUrl, url, who, scope]))
    .digest('hex')
  const readEntries = () => readJson<CacheFile>(file) as CacheFile
  const write = (entries: CacheFile): void => {
    try {
      writePrivateJson(file, entries)
    } catch {
      // The folder may be read-only. The next command logs in again.
    }
  }

  return {
    read(): StoredToken | undefined {
      const entry = secret === undefined ? undefined : readEntries()[name]
      if (!entry || secret === undefined || !isAlive(entry)) return undefined
      if (entry.authUrl !== authUrl || entry.url !== url) return undefined
      const proof = Buffer.from(entry.proof, 'base64')
      const own = proofOf(secret, entry.salt)
      return proof.length === own.length && timingSafeEqual(proof, own) ? entry : undefined
    },
    write(token: StoredToken): void {
      if (secret === undefined) return
      const salt = randomBytes(16).toString('base64')
      const proof = proofOf(secret, salt).toString('base64')
      const others = Object.entries(readEntries()).filter(([, entry]) => isAlive(entry))
      write({ ...Object.fromEntries(others), [name]: { ...token, salt, proof } })
    },
    forget(): void {
      const entries = readEntries()
      if (!(name in entries)) return
      write(Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name)))
    },
  }
}
