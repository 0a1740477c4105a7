import type { Generated } from 'kysely'

/** Second factors of users. */
export interface FactorTables {
  /** Second factors. */
  factors: {
    id: string
    user_id: string
    name: string
    /** Encrypted. */
    secret: string
    created_at: number
    confirmed_at: Generated<number | null>
    last_step: number
    last_used_at: Generated<number | null>
  }
  /** SHA-256 of each code that was not used. */
  recovery_codes: { user_id: string; hash: string }
}
