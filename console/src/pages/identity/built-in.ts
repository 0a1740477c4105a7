import type { AnyThing, Kind } from '../../api/kind-operations.ts'

/** The default domain and its project "system": the API refuses to disable or delete them. */
export function isBuiltIn(kind: Kind, thing: AnyThing): boolean {
  if (kind === 'domains') return thing.id === 'default'
  if (kind !== 'projects' || !('domain_id' in thing)) return false
  return thing.domain_id === 'default' && thing.name.toLowerCase() === 'system'
}
