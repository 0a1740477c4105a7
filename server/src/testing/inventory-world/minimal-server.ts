import { randomUUID } from 'node:crypto'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'

/** A server of which the source reports only what is required. */
export function minimalServer(projectId: string, facts: Partial<ServerFacts> = {}): ServerFacts {
  const id = randomUUID()
  return {
    id,
    name: `server ${id}`,
    status: 'running',
    project_id: projectId,
    created_at: '2026-05-04T08:00:00.000000Z',
    provider: 'Aws',
    account_id: 'account',
    tags: { env: 'prod' },
    ...facts,
  }
}

/** A server that names a host, a network, a region, a zone and a manager, all with its own id. */
export function namingServer(projectId: string): ServerFacts {
  const server = minimalServer(projectId)
  const { id } = server
  const nic = { ip_addr: '', ip6_addr: '', mac: '', team_with: '', vpc_id: '', is_exit: false }
  return {
    ...server,
    host_id: id,
    zone_id: id,
    cloudregion_id: id,
    manager_id: id,
    nics: [{ ...nic, network_id: id }],
  }
}
