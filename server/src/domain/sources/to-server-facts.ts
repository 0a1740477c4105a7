import type { ServerFacts } from '../inventory/server-facts.ts'
import { timestamp } from '../timestamp.ts'
import type { Account } from './account.ts'
import { limitFacts, limitText } from './limit-facts.ts'
import type { Mapped } from './mapping.ts'
import { derivedId } from './derived-id.ts'
import { completeParts, type ReportedParts } from './reported-parts.ts'
import type { DetailField, ReportedFacts, ReportedServer } from './source.ts'

/** A reported server with its id and its project. */
export interface MappedServer extends Mapped {
  readonly id: string
  readonly server: ReportedServer
}

type CompleteFacts = Omit<ReportedFacts, keyof ReportedParts> & ReturnType<typeof completeParts>

/** The id of a reported server. */
export function serverIdOf({ key }: Pick<ReportedServer, 'key'>): string {
  const [first, ...others] = key
  return first !== undefined && others.length === 0 ? first : derivedId('server', ...key)
}

/** What a source reports, with the fields of disks, network interfaces and the like that it left out. */
export function completeFacts(facts: ReportedFacts, id: string): CompleteFacts {
  const server = { id, hostId: facts.host_id ?? '', createdAt: facts.created_at ?? null }
  return { ...facts, ...completeParts(facts, server) }
}

/** The id of the manager that stands for a tenant of the source. */
const managerIdOf = ({ id }: Pick<Account, 'id'>, tenant: string): string =>
  derivedId('tenant', id, tenant)

/** The fields whose stored values stay. Tags and tenants are completed before, because mapping rules need them. */
function storedFieldsOf(unread: DetailField) {
  if (unread === 'tags' || unread === 'tenant') return []
  return unread === 'nics' ? (['nics', 'networks'] as const) : [unread]
}

/** Adds the account's fields to what its source reports about servers. */
export function createToServerFacts(account: Account) {
  const attach_time = timestamp(account.created_at)
  const isRenamed = account.brand !== account.provider

  return function toServerFacts({ id, server, projectId, rule }: MappedServer): ServerFacts {
    const { tenant, unread } = server
    const facts = completeFacts(limitFacts(server.facts), id)
    const provider = facts.provider ?? account.provider
    const byTenant = account.mapping[rule]?.tenant !== undefined
    return {
      ...facts,
      // Stored so that changed mapping rules can be applied without the source.
      notes: { ...facts.notes, ...(tenant && { tenant: limitText(tenant.id) }) },
      id,
      provider,
      brand: isRenamed ? account.brand : (facts.brand ?? provider),
      // The source has just answered.
      host_service_status: facts.host_service_status ?? 'online',
      account: account.name,
      account_id: account.id,
      attach_time,
      manager: tenant ? limitText(tenant.name) : account.name,
      manager_id: tenant ? managerIdOf(account, tenant.id) : account.id,
      manager_project_id: account.project_id,
      project_id: projectId,
      project_src: byTenant ? 'cloud' : 'local',
      ...(unread && { unread: unread.flatMap(storedFieldsOf) }),
    }
  }
}
