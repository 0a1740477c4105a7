import { useQuery } from '@tanstack/react-query'
import { kindOperations, type Kind } from '../../api/kind-operations.ts'
import { choicesQuery } from '../../api/queries/things.ts'
import { useMay } from '../../session/use-may.ts'
import type { Choice } from './pick.ts'

const none: readonly never[] = []

/** The names of a kind's things by their ids, as far as the caller may list them. */
export function useNames(kind: Kind): ReadonlyMap<string, string> {
  const may = useMay(kindOperations[kind].list)
  const { data = none } = useQuery({ ...choicesQuery(kind), enabled: may.allowed })
  return new Map(data.map(({ id, name }) => [id, name]))
}

/** What can be chosen of a kind, with the names of the domains. */
export function useChoices(kind: Kind): readonly Choice[] {
  const may = useMay(kindOperations[kind].list)
  const domains = useNames('domains')
  const { data = none } = useQuery({ ...choicesQuery(kind), enabled: may.allowed })
  return data.map((thing) => {
    const domainId = 'domain_id' in thing ? thing.domain_id : null
    // Who may not list domains still tells them apart by their ids.
    const domain = domainId && (domains.get(domainId) ?? domainId)
    return { id: thing.id, name: thing.name, ...(domain && { domain }) }
  })
}
