import type { ScopeChange, ScopeRequest } from '@muster/contract'
import type { CreateError } from './ports.ts'

/** Converts a scope from the gateway format to the API format. */
export function toScope(
  { project_id, domain_id }: ScopeChange['scope'],
  createError: CreateError,
): ScopeRequest | undefined {
  if (project_id !== undefined && domain_id !== undefined) {
    throw createError(
      'InputParameterError',
      'scope must have either project_id or domain_id, not both.',
    )
  }
  if (project_id !== undefined) return { project: { id: project_id } }
  return domain_id === undefined ? undefined : { domain: { id: domain_id } }
}
