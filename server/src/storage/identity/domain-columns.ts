import { noLoginRules, type LoginRules } from '@muster/contract'
import type { DomainRecord } from '../../domain/identity/records.ts'
import { readBoolean } from '../boolean.ts'

/** The columns of a domain that is joined to a user or a project. */
export const domainColumns = <Alias extends string>(alias: Alias) =>
  [
    `${alias}.id as domain_id`,
    `${alias}.name as domain_name`,
    `${alias}.description as domain_description`,
    `${alias}.enabled as domain_enabled`,
    `${alias}.created_at as domain_created_at`,
    `${alias}.local_passwords`,
    `${alias}.local_passwords_since`,
    `${alias}.login_rules`,
  ] as const

export interface DomainColumns {
  readonly domain_id: string | null
  readonly domain_name: string | null
  readonly domain_description: string | null
  readonly domain_enabled: number | null
  readonly domain_created_at: number | null
  readonly local_passwords: string | null
  readonly local_passwords_since: number | null
  readonly login_rules: string | null
}

export const readLoginRules = (text: string): LoginRules => JSON.parse(text) as LoginRules

export const toDomain = (row: DomainColumns): DomainRecord => ({
  id: row.domain_id ?? '',
  name: row.domain_name ?? '',
  description: row.domain_description ?? '',
  enabled: readBoolean(row.domain_enabled),
  createdAt: row.domain_created_at ?? 0,
  localPasswords: row.local_passwords === 'break_glass' ? 'break_glass' : 'on',
  localPasswordsSince: row.local_passwords_since,
  loginRules: row.login_rules === null ? noLoginRules : readLoginRules(row.login_rules),
})
