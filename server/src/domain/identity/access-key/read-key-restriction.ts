import type { KeyRestriction, KeyRestrictionInput } from '@muster/contract'
import { badField } from '../../error.ts'
import { normalizeNetworks } from '../../networks.ts'

const path = 'credential.restriction'

const distinct = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

/** The restriction of a new key; null if it restricts nothing. The caller checks the projects. */
export function readKeyRestriction(
  input: KeyRestrictionInput | null | undefined,
  projectId: string,
): KeyRestriction | null {
  const { read_only = false, actions, projects, networks } = input ?? {}
  if (read_only && actions) {
    throw badField(`${path}.actions`, 'cannot be combined with read_only')
  }
  if (projects && !projects.includes(projectId)) {
    throw badField(`${path}.projects`, 'must contain the project of the key')
  }
  if (!read_only && !actions && !projects && !networks) return null
  return {
    read_only,
    actions: actions ? distinct(actions) : null,
    projects: projects ? distinct(projects) : null,
    networks: networks ? normalizeNetworks(networks, `${path}.networks`) : null,
  }
}
