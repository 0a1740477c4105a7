import { useQuery } from '@tanstack/react-query'
import { kindOperations, type Kind } from '../../api/kind-operations.ts'
import { impactQuery } from '../../api/queries/entities.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { QueryView } from '../../ui/query-view.tsx'
import { impactCounts } from './impact-counts.ts'
import styles from './impact-list.module.css'

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly action: 'disable' | 'delete'
}

/** What disabling or deleting affects, for kinds where the API can tell. */
export function ImpactList({ kind, id, action }: Props) {
  const t = useAllMessages()
  const format = useFormat()
  const hasImpact = kindOperations[kind].impact !== undefined
  const query = useQuery({ ...impactQuery(kind, id), enabled: hasImpact })
  if (!hasImpact) return null
  const texts = { ...t.identity.impact, ...(kind === 'domains' && t.identity.impactOfDomain) }
  return (
    <QueryView query={query}>
      {(impact) => {
        const counts = impact === null ? [] : impactCounts(impact, action)
        if (counts.length === 0) {
          return <p>{action === 'disable' ? t.identity.noLogins : t.identity.nothingAffected}</p>
        }
        return (
          <div>
            <h3>{t.identity.alsoAffected}</h3>
            <ul className={styles.list}>
              {counts.map(([name, count]) => (
                <li key={name}>
                  <b>{format.number(count)}</b> <span>{texts[name](count)}</span>
                </li>
              ))}
            </ul>
          </div>
        )
      }}
    </QueryView>
  )
}
