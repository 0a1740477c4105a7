import { hash, randomFillSync } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'mt1_'
const randomLength = 43
const checkLength = 6
const shape = new RegExp(`^${prefix}[A-Za-z0-9_-]{${randomLength + checkLength}}$`)

const keyLength = 32
const pool = Buffer.alloc(keyLength * 64)
let drawn = pool.length

/** 256 random bits, from a pool that is filled in one call and wiped as it is used. */
function drawKey(): string {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  const key = pool.toString('base64url', drawn, drawn + keyLength)
  pool.fill(0, drawn, drawn + keyLength)
  drawn += keyLength
  return key
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** A new token and its id: a prefix that secret scanners know, 256 random bits and a checksum. */
export function mintToken(): { secret: string; id: string } {
  const body = prefix + drawKey()
  const secret = body + checksum(body)
  return { secret, id: idOf(secret) }
}

/** Hashes the whole text, so that no other spelling of a token has the same id. */
const idOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** The id of the token's row; undefined for a text that cannot be a token. */
export function tokenId(secret: string): string | undefined {
  if (!shape.test(secret)) return undefined
  const body = secret.slice(0, -checkLength)
  if (checksum(body) !== secret.slice(-checkLength)) return undefined
  return idOf(secret)
}
