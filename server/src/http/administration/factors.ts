import type { FactorDto, factorOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { FactorRecord } from '../../domain/identity/records.ts'
import { timestamp, timestampOrNull } from '../../domain/timestamp.ts'
import type { HandlersFor } from '../register-operations.ts'

const renderFactor = (factor: FactorRecord): FactorDto => ({
  id: factor.id,
  name: factor.name,
  type: 'totp',
  confirmed: factor.confirmedAt !== null,
  created_at: timestamp(factor.createdAt),
  last_used_at: timestampOrNull(factor.lastUsedAt),
})

export function createFactorHandlers(use: Administration): HandlersFor<typeof factorOperations> {
  return {
    async getFactors({ caller, parameters }) {
      const { factors, recoveryCodes, reset, required, verifiedAt } = await use.getFactors(
        caller,
        parameters.id,
      )
      return {
        status: 200,
        body: {
          factors: factors.map(renderFactor),
          recovery_codes: recoveryCodes,
          reset: reset ? { at: timestamp(reset.at), by: reset.by } : null,
          session: { required, verified_at: timestampOrNull(verifiedAt) },
        },
      }
    },

    async createFactor({ caller, parameters, body }) {
      const { factor, secret, uri } = await use.createFactor(caller, parameters.id, body.factor)
      return { status: 201, body: { factor: { ...renderFactor(factor), secret, uri } } }
    },

    async confirmFactor({ caller, parameters, body }) {
      const { id, factor_id } = parameters
      const { factor, codes } = await use.confirmFactor(caller, id, factor_id, body.factor.passcode)
      return { status: 200, body: { factor: renderFactor(factor), recovery_codes: codes } }
    },

    async verifyFactor({ caller, parameters, body }) {
      await use.verifyFactor(caller, parameters.id, body.factor.passcode)
      return { status: 204 }
    },

    async updateFactor({ caller, parameters, body }) {
      const { id, factor_id } = parameters
      const factor = await use.updateFactor(caller, id, factor_id, body.factor.name)
      return { status: 200, body: { factor: renderFactor(factor) } }
    },

    async deleteFactor({ caller, parameters }) {
      await use.deleteFactor(caller, parameters.id, parameters.factor_id)
      return { status: 204 }
    },

    async replaceRecoveryCodes({ caller, parameters }) {
      const recovery_codes = await use.replaceRecoveryCodes(caller, parameters.id)
      return { status: 201, body: { recovery_codes: [...recovery_codes] } }
    },

    async resetFactors({ caller, parameters }) {
      await use.resetFactors(caller, parameters.id)
      return { status: 204 }
    },
  }
}
