import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** The token that logging in gave, and the one in use: that one, or a child of it for another scope. */
export interface SessionTokens {
  readonly root: string
  readonly current: string
}

const idLength = 22
const keyLength = 43
const shape = new RegExp(`^([\\w-]{${idLength}})\\.([\\w-]{${keyLength}})$`)
const [nonceLength, tagLength] = [12, 16]

/** What a browser's cookie holds: the name of a session, and the key to what is kept under it. */
export interface SessionKey {
  readonly cookie: string
  /** The hash of the name, which is all of it that is kept. */
  readonly id: string
  /** Given to the pages of the session; nobody else's page can read it. */
  readonly csrfToken: string
  seal(tokens: SessionTokens): string
  /** Undefined where it was sealed under another key. */
  unseal(sealed: string): SessionTokens | undefined
}

/** A new one: 128 random bits to be found by, 256 to be read with. */
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

    seal(tokens) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', derive('muster seal'), nonce)
      cipher.setAAD(Buffer.from(id))
      const sealed = [cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')
    },

    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv(
        'aes-256-gcm',
        derive('muster seal'),
        bytes.subarray(0, nonceLength),
        { authTagLength: tagLength },
      )
      decipher.setAAD(Buffer.from(id))
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
      try {
        const opened = [decipher.update(bytes.subarray(nonceLength + tagLength)), decipher.final()]
        return JSON.parse(Buffer.concat(opened).toString()) as SessionTokens
      } catch {
        return undefined
      }
    },
  }
}

/** Whether two texts are the same, without telling how far they are. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => hash('sha256', text, 'buffer'))
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
