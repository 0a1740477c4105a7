import { generateSync } from 'otplib'

const step = 30

/** The code that an authenticator app shows now, or at another time, in steps from now. */
export const totpCode = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * step })
