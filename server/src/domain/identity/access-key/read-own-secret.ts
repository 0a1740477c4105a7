import { badField } from '../../error.ts'
import { timestamp } from '../../timestamp.ts'

const field = 'credential.blob'
const allowedLength = /^[!-~]{32,128}$/

/** The end of the year 9999. */
const lastSecond = 253_402_300_799

/** Random texts of 32 hexadecimal digits fall short of this once in 25 million. */
const minDistinct = 8

interface OwnSecret {
  /** Absent if Muster generates it. */
  readonly secret: { readonly secret?: string }
  readonly expiresAt: string | undefined
}

/** Reads `blob` of a new access key, in which Cloudpods' client sends a secret of its own. */
export function readOwnSecret(blob = ''): OwnSecret {
  const { secret = '', expire = 0, ...others } = parse(blob)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw badField(`${field}.${unknown}`, 'is not a known field')
  if (!Number.isInteger(expire) || Number(expire) < 0 || Number(expire) > lastSecond) {
    throw badField(`${field}.expire`, 'must be a time in Unix seconds, or 0')
  }
  if (secret !== '') requireRandom(secret)
  return {
    secret: secret === '' ? {} : { secret: secret as string },
    expiresAt: expire === 0 ? undefined : timestamp(Number(expire) * 1_000),
  }
}

function parse(blob: string): Readonly<Record<string, unknown>> {
  if (blob === '') return {}
  try {
    const parsed: unknown = JSON.parse(blob)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Record<string, unknown>
    }
  } catch {
    // The text of the error could contain the secret.
  }
  throw badField(field, 'must be empty, or a JSON object with secret and expire')
}

/** A random text does not repeat this many characters. */
const repeatLength = 8

/**
 * Randomness cannot be measured. This refuses what people type: short texts, few characters, sequences (in
 * which the steps from one character to the next are few) and repetitions.
 */
function requireRandom(secret: unknown): void {
  if (typeof secret !== 'string' || !allowedLength.test(secret)) {
    throw badField(`${field}.secret`, 'must have 32 to 128 printable ASCII characters')
  }
  const codes = [...secret].map((character) => character.charCodeAt(0))
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0))
  const isRepeated = codes.some((_code, at) => {
    const part = secret.slice(at, at + repeatLength)
    return part.length === repeatLength && secret.includes(part, at + 1)
  })
  if (isRepeated || [codes, steps].some((numbers) => new Set(numbers).size < minDistinct)) {
    throw badField(
      `${field}.secret`,
      'is too regular for a secret. Use random characters, or leave it out and Muster generates one.',
    )
  }
}
