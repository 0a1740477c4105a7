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
