import { PlatformError } from '../error.ts'
import { nameKey } from '../name-key.ts'

const shortest = 8
/** In bytes. Longer passwords are never hashed. */
export const longestPassword = 1_024

/** Rejects passwords that are too short, too long or common. There are no rules about characters. */
export async function requireGoodPassword(password: string): Promise<void> {
  const weakness = await findWeakness(password)
  if (weakness === undefined) return
  throw new PlatformError('WeakPasswordError', `The password ${weakness}.`, {
    fields: [{ path: 'user.password', problem: weakness }],
  })
}

async function findWeakness(password: string): Promise<string | undefined> {
  if ([...password].length < shortest) return `needs at least ${shortest} characters`
  if (Buffer.byteLength(password) > longestPassword)
    return `is longer than ${longestPassword} bytes`
  // Loaded only when a password is set, because it takes time and memory.
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  if (dictionary['passwords-common'].includes(nameKey(password))) {
    return 'is one of the most common passwords'
  }
  return undefined
}
