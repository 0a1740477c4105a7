import type { AnyEntity, Kind } from '../../api/kind-operations.ts'

/** The default domain and its project "system": the API refuses to disable or delete them. */
export function isBuiltIn(kind: Kind, entity: AnyEntity): boolean {
  if (kind === 'domains') return entity.id === 'default'
  if (kind !== 'projects' || !('domain_id' in entity)) return false
  return entity.domain_id === 'default' && entity.name.toLowerCase() === 'system'
}
