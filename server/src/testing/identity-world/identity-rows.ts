import type { Level } from '@muster/contract'
import type { PolicyRule } from '../../domain/identity/records.ts'
import { nameKey } from '../../domain/name-key.ts'
import { newId } from '../../domain/new-id.ts'
import { policyFlags } from '../../storage/registry/policy-flags.ts'
import { casOptions } from './identity-records.ts'

/** The rows of all worlds, with default values. */

/** When all of them were created. */
export const createdAt = Date.UTC(2026, 0, 1)

/** The columns that most tables share. */
export const named = (name: string) => ({
  id: newId(),
  name,
  name_key: nameKey(name),
  created_at: createdAt,
})

/** For a resource whose name does not matter. */
export const anyName = (word: string): string => `${word} ${newId()}`

export const domainRow = (name: string) => ({ ...named(name), description: '', enabled: 1 })

export const projectRow = (name: string, domain_id: string) => ({
  ...named(name),
  domain_id,
  description: '',
  enabled: 1,
})

export interface UserOptions {
  readonly name: string
  readonly domainId?: string
  readonly passwordHash?: string | null
  readonly enabled?: boolean
  readonly expiresAt?: number
  readonly passwordExpiresAt?: number
  readonly defaultProjectId?: string
}

export const userRow = (options: UserOptions) => ({
  ...named(options.name),
  domain_id: options.domainId ?? 'default',
  displayname: '',
  email: '',
  mobile: '',
  enabled: options.enabled === false ? 0 : 1,
  password_hash: options.passwordHash ?? null,
  password_expires_at: options.passwordExpiresAt ?? null,
  expires_at: options.expiresAt ?? null,
  default_project_id: options.defaultProjectId ?? null,
})

export const groupRow = (name: string, domain_id: string) => ({ ...named(name), domain_id })

export const roleRow = (name: string) => ({
  ...named(name),
  domain_id: 'default',
  description: '',
})

export const policyRow = (
  name: string,
  scope: Level,
  rules: readonly PolicyRule[],
  enabled = true,
) => {
  const text = JSON.stringify(rules)
  return { ...named(name), scope, enabled: Number(enabled), rules: text, ...policyFlags(text) }
}

interface Holding {
  readonly userId?: string | undefined
  readonly groupId?: string | undefined
  /** Neither a project nor a domain: on the system. */
  readonly projectId?: string | undefined
  readonly domainId?: string | undefined
  readonly providerId?: string | undefined
}

export const assignmentRow = (role_id: string, holding: Holding) => ({
  id: newId(),
  role_id,
  user_id: holding.userId ?? null,
  group_id: holding.groupId ?? null,
  project_id: holding.projectId ?? null,
  domain_id: holding.domainId ?? null,
  provider_id: holding.providerId ?? null,
})

export const accessKeyRow = (user_id: string, project_id: string, secret = 'encrypted') => ({
  ...named(anyName('key')),
  user_id,
  project_id,
  enabled: 1,
  secret,
  last_used_ip: '',
})

/** A provider at an address that is never contacted. */
export const subjectRow = (user_id: string, provider_id: string) => ({
  provider_id,
  subject: newId(),
  user_id,
})

export const providerRow = (name: string, domain_id: string, mapping: readonly object[] = []) => ({
  ...named(name),
  driver: 'cas',
  options: casOptions,
  domain_id,
  enabled: 1,
  mapping: JSON.stringify(mapping),
})
