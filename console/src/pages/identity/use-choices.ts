import { useQuery } from '@tanstack/react-query'
import { kindOperations, type Kind } from '../../api/kind-operations.ts'
import { choicesQuery } from '../../api/queries/entities.ts'
import { usePermission } from '../../session/use-permission.ts'
import type { Choice } from './pick.ts'

const none: readonly never[] = []

/** Names by ID, for entities that the user may list. */
export function useNames(kind: Kind): ReadonlyMap<string, string> {
  const permission = usePermission(kindOperations[kind].list)
  const { data = none } = useQuery({ ...choicesQuery(kind), enabled: permission.allowed })
  return new Map(data.map(({ id, name }) => [id, name]))
}

/** The entities of a kind to choose from, with their domain names. */
export function useChoices(kind: Kind): readonly Choice[] {
  const permission = usePermission(kindOperations[kind].list)
  const domains = useNames('domains')
  const { data = none } = useQuery({ ...choicesQuery(kind), enabled: permission.allowed })
  return data.map((entity) => {
    const domainId = 'domain_id' in entity ? entity.domain_id : null
    // Without access to domains, show their IDs.
    const domain = domainId && (domains.get(domainId) ?? domainId)
    return { id: entity.id, name: entity.name, ...(domain && { domain }) }
  })
}
