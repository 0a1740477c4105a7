import type { PolicyCheckDto } from '@muster/contract'
import type { ContractClient } from '../contract-client.ts'
import type { Tenant } from './add-tenant.ts'
import type { IdentityWorld } from './create-identity-world.ts'

/** A user whom a policy check is about, and the scope of the token. */
export interface Subject {
  readonly userId: string
  readonly token: string
  readonly scope: object
}

/** A user for each role that differs in identity, one without a scope and one with a denied resource. */
export async function addSubjects(identities: IdentityWorld, { ids, person }: Tenant) {
  await identities.addRole('domain_all_but_users', 'domain', [
    { service: '*', resource: '*', action: '*', effect: 'allow' },
    { service: 'identity', resource: 'users', action: '*', effect: 'deny' },
  ])
  const inProject = { project_id: ids.projects }
  const inDomain = { domain_id: ids.domains }
  const scopes = {
    admin: inProject,
    auditor: inProject,
    domain_admin: inDomain,
    domain_viewer: inDomain,
    domain_all_but_users: inDomain,
    project_owner: inProject,
    project_viewer: inProject,
  }
  const subjects: Record<string, Subject> = {
    unscoped: { ...(await person(undefined)), scope: {} },
  }
  for (const [role, scope] of Object.entries(scopes)) {
    subjects[role] = { ...(await person(role)), scope }
  }
  return subjects as Readonly<Record<keyof typeof scopes | 'unscoped', Subject>>
}

export async function checkPolicy(caller: ContractClient, check: object): Promise<PolicyCheckDto> {
  const body = { check: { service: 'identity', ...check } }
  return (await caller.get<{ check: PolicyCheckDto }>('checkPolicy', { body })).check
}
