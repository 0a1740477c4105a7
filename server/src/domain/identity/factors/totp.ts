import { generateSecret, generateURI, verifySync } from 'otplib'

const period = 30

/** The clocks of phones differ by less than this. */
const tolerance = period

export const mintTotpSecret = (): string => generateSecret()

/** What an authenticator app reads from a QR code. A colon would end the name of the issuer. */
export const totpUri = (host: string, user: string, secret: string): string =>
  generateURI({ issuer: `Muster ${host.replaceAll(':', '-')}`, label: user, secret })

export const totpContext = (factorId: string, userId: string): string =>
  `second factor ${factorId} of ${userId}`

/** The time step of a code; undefined for a wrong one. Takes the same time for both. */
export function findTotpStep(secret: string, code: string, now: number): number | undefined {
  const epoch = Math.floor(now / 1_000)
  const result = verifySync({ secret, token: code, epoch, epochTolerance: tolerance, period })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}
