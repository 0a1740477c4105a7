import { randomUUID } from 'node:crypto'
import {
  allKinds,
  resourceKinds,
  type ResourceKind,
} from '../../domain/inventory/resource-kinds.ts'
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

/** What a server says to name a resource of each kind. */
export function namingFacts(idOf: (kind: ResourceKind) => string): Partial<ServerFacts> {
  const nic = {
    ip_addr: '10.4.0.7',
    ip6_addr: '',
    mac: '',
    team_with: '',
    vpc_id: '',
    is_exit: false,
  }
  return {
    ...Object.fromEntries(allKinds.map((kind) => [resourceKinds[kind].namedBy, idOf(kind)])),
    nics: [{ ...nic, network_id: idOf('networks') }],
  }
}

/** A server that names a resource of each kind, all with its own id. */
export function namingServer(projectId: string): ServerFacts {
  const server = minimalServer(projectId)
  return { ...server, ...namingFacts(() => server.id) }
}
