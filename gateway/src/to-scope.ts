import type { ScopeChange, ScopeRequest } from '@muster/contract'
import type { Refuse } from './ports.ts'

/** A scope as a page writes it, in the words of the API. */
export function toScope(
  { project_id, domain_id }: ScopeChange['scope'],
  refuse: Refuse,
): ScopeRequest | undefined {
  if (project_id !== undefined && domain_id !== undefined) {
    throw refuse('InputParameterError', 'scope must have either project_id or domain_id, not both.')
  }
  if (project_id !== undefined) return { project: { id: project_id } }
  return domain_id === undefined ? undefined : { domain: { id: domain_id } }
}
