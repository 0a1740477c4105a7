import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** The token of the login, and the current one: the same, or a child of it for another scope. */
export interface SessionTokens {
  readonly root: string
  readonly current: string
}

const idLength = 22
const keyLength = 43
const shape = new RegExp(`^([\\w-]{${idLength}})\\.([\\w-]{${keyLength}})$`)
const [nonceLength, tagLength] = [12, 16]

/** The content of the session cookie: a session name and the key that encrypts its tokens. */
export interface SessionKey {
  readonly cookie: string
  /** The hash of the name. Only the hash is stored. */
  readonly id: string
  /** Sent to pages of the session. Pages of other origins cannot read it. */
  readonly csrfToken: string
  encrypt(tokens: SessionTokens): string
  /** Undefined if the tokens were encrypted with another key. */
  decrypt(encrypted: string): SessionTokens | undefined
}

/** Creates a key with a random name of 128 bits and a random secret of 256 bits. */
export const mintSessionKey = (): SessionKey =>
  createSessionKey(randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url'))

export function readSessionKey(cookie: string): SessionKey | undefined {
  const [, id, key] = shape.exec(cookie) ?? []
  return id === undefined || key === undefined ? undefined : createSessionKey(id, key)
}

function createSessionKey(name: string, key: string): SessionKey {
  const id = hash('sha256', name, 'base64url')
  const derive = (purpose: string) => createHmac('sha256', key).update(purpose).digest()
  return {
    cookie: `${name}.${key}`,
    id,
    csrfToken: derive('muster csrf').toString('base64url'),

    encrypt(tokens) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', derive('muster seal'), nonce)
      cipher.setAAD(Buffer.from(id))
      const encrypted = [cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64url')
    },

    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64url')
      const decipher = createDecipheriv(
        'aes-256-gcm',
        derive('muster seal'),
        bytes.subarray(0, nonceLength),
        { authTagLength: tagLength },
      )
      decipher.setAAD(Buffer.from(id))
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
      try {
        const decrypted = [
          decipher.update(bytes.subarray(nonceLength + tagLength)),
          decipher.final(),
        ]
        return JSON.parse(Buffer.concat(decrypted).toString()) as SessionTokens
      } catch {
        return undefined
      }
    },
  }
}

/** Compares two secrets in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => hash('sha256', text, 'buffer'))
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
