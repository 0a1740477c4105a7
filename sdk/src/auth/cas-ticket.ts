import { tokenLogin, type LoginOptions } from './token-login.ts'

interface CasOptions extends LoginOptions {
  /** The id of the identity provider. Required if there are several. */
  readonly provider?: string
}

/** Logs in with a CAS ticket. A ticket works once, so the client cannot log in again when the token expires. */
export const casTicket = (ticket: string, { provider, ...options }: CasOptions = {}) =>
  tokenLogin({
    ...options,
    isRepeatable: false,
    identify: () => ({
      methods: ['cas'],
      cas_ticket: { id: ticket, ...(provider !== undefined && { provider }) },
    }),
  })
