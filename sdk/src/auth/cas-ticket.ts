import { tokenLogin, type LoginOptions } from './token-login.ts'

interface CasOptions extends LoginOptions {
  /** The identity provider that it is from, by its id; needed where there are several. */
  readonly provider?: string
}

/** Logs in with a ticket of a CAS server. It is good once, so when the token ends, it ends. */
export const casTicket = (ticket: string, { provider, ...options }: CasOptions = {}) =>
  tokenLogin({
    ...options,
    isRepeatable: false,
    identify: () => ({
      methods: ['cas'],
      cas_ticket: { id: ticket, ...(provider !== undefined && { provider }) },
    }),
  })
