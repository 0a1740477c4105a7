import type { Impact } from '@muster/contract'

export type ImpactName = keyof Impact

const ofDisabling: readonly ImpactName[] = ['service_accounts', 'tokens']
const ofDeleting: readonly ImpactName[] = [
  'projects',
  'users',
  'groups',
  'assignments',
  'access_keys',
  'identity_providers',
  'default_projects',
  'service_accounts',
  'tokens',
]

/** The affected entities by kind, without zero counts. */
export function impactCounts(
  impact: Impact,
  action: 'disable' | 'delete',
): readonly (readonly [ImpactName, number])[] {
  const names = action === 'disable' ? ofDisabling : ofDeleting
  return names.flatMap((name) => (impact[name] > 0 ? [[name, impact[name]] as const] : []))
}
