import type { ServerSelection } from '../../api/queries/servers.ts'
import { exclude, toggleValues, valuesOf } from '../../filter/edit-query.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { FilterGroup } from './filter-group.tsx'
import styles from './filter-sidebar.module.css'
import { filterGroupNames, useFilterCounts } from './use-filter-counts.ts'

interface Props {
  readonly selection: ServerSelection
  /** The rows of this query are loaded. Values are counted afterwards. */
  readonly hasRows: boolean
  readonly onChange: (q: string) => void
}

/** The values of the main fields with counts. A click filters, Alt-click excludes. */
export function FilterSidebar({ selection, hasRows, onChange }: Props) {
  const { q } = selection
  const t = useMessages()
  const { counts, isOutdated } = useFilterCounts(selection, hasRows)
  return (
    <aside className={styles.filters} aria-label={t.servers.filters} aria-busy={isOutdated}>
      {filterGroupNames.map((name) => {
        const { wanted, unwanted } = valuesOf(q, name)
        return (
          <FilterGroup
            key={name}
            name={name}
            title={t.servers.keys[name]}
            counts={counts[name]}
            wanted={wanted}
            unwanted={unwanted}
            onPick={(values, isExcluded) =>
              onChange(isExcluded ? exclude(q, name, values) : toggleValues(q, name, values))
            }
          />
        )
      })}
    </aside>
  )
}
