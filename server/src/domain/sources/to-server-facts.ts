import type { ServerFacts } from '../inventory/server-facts.ts'
import { timestamp } from '../timestamp.ts'
import type { Account } from './account.ts'
import { limitFacts, limitText } from './limit-facts.ts'
import type { Mapped } from './mapping.ts'
import { naturalId } from './natural-id.ts'
import type { ReportedServer } from './source.ts'

const ids = new WeakMap<object, string>()

/** The id of a server that a source tells of. It is asked for at every step, and made once. */
export function serverIdOf(server: Pick<ReportedServer, 'key'>): string {
  const known = ids.get(server)
  if (known !== undefined) return known
  const id = naturalId('server', ...server.key)
  ids.set(server, id)
  return id
}

/** What an account adds to what its source says of a server. */
export function toServerFacts(
  server: ReportedServer,
  account: Account,
  { projectId, rule }: Mapped,
): ServerFacts {
  const { tenant } = server
  const facts = limitFacts(server.facts)
  const provider = facts.provider ?? account.provider
  const isRenamed = account.brand !== account.provider
  const byTenant = account.mapping[rule]?.tenant !== undefined
  return {
    ...facts,
    // Rules may ask for it again when nothing new is heard from the source.
    notes: { ...facts.notes, ...(tenant && { tenant: limitText(tenant.id) }) },
    id: serverIdOf(server),
    provider,
    brand: isRenamed ? account.brand : (facts.brand ?? provider),
    // It has just answered.
    host_service_status: facts.host_service_status ?? 'online',
    account: account.name,
    account_id: account.id,
    attach_time: timestamp(account.created_at),
    manager: tenant ? limitText(tenant.name) : account.name,
    manager_id: tenant ? naturalId('tenant', account.id, tenant.id) : account.id,
    manager_project_id: account.project_id,
    project_id: projectId,
    project_src: byTenant ? 'cloud' : 'local',
  }
}
