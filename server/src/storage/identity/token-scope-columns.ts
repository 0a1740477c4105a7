import type { TokenScope } from '../../domain/identity/records.ts'

interface ScopeColumns {
  readonly project_id: string | null
  readonly domain_id: string | null
}

/** The scope of a token as two columns. */
export const toScopeColumns = (scope: TokenScope): ScopeColumns => ({
  project_id: scope.kind === 'project' ? scope.id : null,
  domain_id: scope.kind === 'domain' ? scope.id : null,
})

export function readScopeColumns({ project_id, domain_id }: ScopeColumns): TokenScope {
  if (project_id !== null) return { kind: 'project', id: project_id }
  if (domain_id !== null) return { kind: 'domain', id: domain_id }
  return { kind: 'none' }
}
