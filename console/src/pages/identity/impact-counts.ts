import type { Impact } from '@muster/contract'

export type ImpactName = keyof Impact

const ofDisabling: readonly ImpactName[] = ['tokens']
const ofDeleting: readonly ImpactName[] = [
  'projects',
  'users',
  'groups',
  'assignments',
  'access_keys',
  'identity_providers',
  'default_projects',
  'tokens',
]

/** What would be touched, and how many of it; without what is nothing. */
export function impactCounts(
  impact: Impact,
  action: 'disable' | 'delete',
): readonly (readonly [ImpactName, number])[] {
  const names = action === 'disable' ? ofDisabling : ofDeleting
  return names.flatMap((name) => (impact[name] > 0 ? [[name, impact[name]] as const] : []))
}
