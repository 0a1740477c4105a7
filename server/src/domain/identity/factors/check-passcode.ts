import type { Clock } from '../../clock.ts'
import type { SecretBox } from '../../secret-box.ts'
import type { FactorStore, FactorUse } from '../ports.ts'
import type { FactorRecord } from '../records.ts'
import { hashRecoveryCode, normalizePasscode } from './recovery-codes.ts'
import { findTotpStep, mintTotpSecret, totpContext } from './totp.ts'

interface Dependencies {
  readonly factors: FactorStore
  readonly secretBox: SecretBox
  readonly clock: Clock
}

interface PasscodeVerdict {
  /** Whether the user has a confirmed factor. */
  readonly hasFactor: boolean
  /** What has to be written with whatever the code was sent for; undefined for a wrong code. */
  readonly use: FactorUse | undefined
}

const totpCode = /^\d{6}$/

/** Compares a code with the factors of a user. */
export function createCheckPasscode({ factors, secretBox, clock }: Dependencies) {
  // Compared for users without a factor, so that every login with a code takes the same time.
  const decoy = secretBox.encrypt(mintTotpSecret(), totpContext('', ''))

  function findStep(code: string, factor: FactorRecord | undefined): number | undefined {
    const { id = '', userId = '', encryptedSecret = decoy, lastStep = Infinity } = factor ?? {}
    const secret = secretBox.decrypt(encryptedSecret, totpContext(id, userId))
    const step = findTotpStep(secret, code, clock())
    return step !== undefined && step > lastStep ? step : undefined
  }

  function findTotpUse(code: string, compared: readonly FactorRecord[]): FactorUse | undefined {
    if (compared.length === 0) findStep(code, undefined)
    for (const factor of compared) {
      const step = findStep(code, factor)
      if (step !== undefined) return { kind: 'totp', factorId: factor.id, step }
    }
    return undefined
  }

  return {
    /** The queries are the same whether or not the user exists or has a factor. */
    async checkPasscode(userId: string, passcode: string | undefined): Promise<PasscodeVerdict> {
      const all = await factors.list(userId)
      const confirmed = all.filter(({ confirmedAt }) => confirmedAt !== null)
      const hasFactor = confirmed.length > 0
      if (passcode === undefined) return { hasFactor, use: undefined }
      const code = normalizePasscode(passcode)
      if (totpCode.test(code)) return { hasFactor, use: findTotpUse(code, confirmed) }
      const hash = hashRecoveryCode(code, userId)
      const isKnown = (await factors.hasRecoveryCode(userId, hash)) && hasFactor
      return { hasFactor, use: isKnown ? { kind: 'recovery_code', userId, hash } : undefined }
    },

    /** Of a factor that is not confirmed, to confirm it. */
    checkNewFactor(factor: FactorRecord, passcode: string): FactorUse | undefined {
      const code = normalizePasscode(passcode)
      return totpCode.test(code) ? findTotpUse(code, [factor]) : undefined
    },
  }
}
export type CheckPasscode = ReturnType<typeof createCheckPasscode>
