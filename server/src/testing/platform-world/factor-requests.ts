import { generateSync } from 'otplib'
import { factorSecret, type Resources } from './persona-resources.ts'
import { at, audited, change, finish, name } from './request-kinds.ts'

const factor = ({ userId, factorId }: Resources) => ({ path: { id: userId, factor_id: factorId } })
const passcode = () => generateSync({ secret: factorSecret })

/** The requests that change second factors. */
export const factorRequests = {
  createFactor: finish(audited('factors'), ({ userId }) => ({
    ...at(userId),
    body: { factor: { name: name() } },
  })),
  confirmFactor: finish(
    audited('factors', 'recovery_codes', 'tokens', 'login_attempts'),
    (resources) => ({ ...factor(resources), body: { factor: { passcode: passcode() } } }),
  ),
  verifyFactor: change(audited('factors', 'tokens', 'login_attempts'), ({ userId }) => ({
    ...at(userId),
    body: { factor: { passcode: passcode() } },
  })),
  updateFactor: change(audited('factors'), (resources) => ({
    ...factor(resources),
    body: { factor: { name: name() } },
  })),
  deleteFactor: finish(audited('factors'), factor),
  replaceRecoveryCodes: change(audited('recovery_codes'), ({ userId }) => at(userId)),
  resetFactors: finish(audited('factors', 'users', 'tokens'), ({ userId }) => at(userId)),
}
