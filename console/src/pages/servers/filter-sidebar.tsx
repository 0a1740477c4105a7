import { exclude, toggleValues, valuesOf } from '../../filter/edit-query.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { FilterGroup } from './filter-group.tsx'
import styles from './filter-sidebar.module.css'
import { filterCounts, filterGroupNames } from './filter-counts.ts'
import type { FilterValueCounts } from '../../servers/value-counts.ts'

interface Props {
  readonly q: string
  readonly counts: FilterValueCounts
  /** The counts are those of another query: their numbers are hidden. */
  readonly hasOtherCounts: boolean
  readonly isUpdating: boolean
  readonly onChange: (q: string) => void
}

/** The values of the main fields with counts. A click filters, Alt-click excludes. */
export function FilterSidebar({ q, counts, hasOtherCounts, isUpdating, onChange }: Props) {
  const t = useMessages()
  return (
    <aside
      className={styles.filters}
      aria-label={t.servers.filters}
      aria-busy={isUpdating}
      data-other-counts={hasOtherCounts}
    >
      {filterGroupNames.map((name) => {
        const { wanted, unwanted } = valuesOf(q, name)
        return (
          <FilterGroup
            key={name}
            name={name}
            title={t.servers.keys[name]}
            counts={filterCounts(name, counts)}
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
