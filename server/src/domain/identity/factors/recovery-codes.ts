import { hash, randomInt } from 'node:crypto'
import { recoveryCodeCount } from '@muster/contract'

/** Without characters that look alike. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
const groupLength = 4
const groups = 4

const mintGroup = () =>
  Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')

/** 79 random bits each, so that a fast hash is enough to store them. */
export const mintRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groups }, mintGroup).join('-'),
  )

/** People type codes with blanks, or without hyphens. */
export const normalizePasscode = (passcode: string): string =>
  passcode.replaceAll(/[\s-]/g, '').toLowerCase()

export const hashRecoveryCode = (code: string, userId: string): string =>
  hash('sha256', `${userId} ${normalizePasscode(code)}`, 'base64url')
