import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretBox } from '../domain/secret-box.ts'

const keyLength = 32
const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
/** Names the format, so that a later format can be distinguished. */
const formatVersion = 'v1.'

/** AES-256-GCM with a derived key. The context is authenticated but not part of the text. */
export function createSecretBox(key: Buffer): SecretBox {
  const encryptionKey = Buffer.from(hkdfSync('sha256', key, '', 'muster: seal', keyLength))
  const options = { authTagLength: tagLength }
  return {
    encrypt(text, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, encryptionKey, nonce, options)
      cipher.setAAD(Buffer.from(context))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return formatVersion + Buffer.concat(parts).toString('base64url')
    },
    decrypt(encrypted, context) {
      try {
        const bytes = decode(encrypted)
        const nonce = bytes.subarray(0, nonceLength)
        const decipher = createDecipheriv(algorithm, encryptionKey, nonce, options)
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagLength))
        const content = bytes.subarray(nonceLength, -tagLength)
        return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new Error(
          'a text does not decrypt: it was changed, moved, or encrypted with another key',
          { cause },
        )
      }
    },
  }
}

/** Base64 decoding ignores invalid characters, so only the canonical spelling is accepted. */
function decode(encrypted: string): Buffer {
  const bytes = Buffer.from(encrypted.slice(formatVersion.length), 'base64url')
  if (encrypted !== formatVersion + bytes.toString('base64url'))
    throw new Error('not an encrypted text')
  return bytes
}
