import { useState } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './filter-sidebar.module.css'
import type { FilterCounts } from './use-filter-counts.ts'

interface Props {
  readonly title: string
  readonly counts: FilterCounts
  readonly wanted: readonly string[]
  readonly unwanted: readonly string[]
  readonly onPick: (value: string, isExcluded: boolean) => void
}

const few = 6

export function FilterGroup({ title, counts, wanted, unwanted, onPick }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const { entries, others } = counts
  const [isLong, setLong] = useState(false)
  const isFiltered = wanted.length + unwanted.length > 0
  // One value says nothing, unless it is the filter itself.
  if (entries.length < 2 && !isFiltered) return null
  const known = new Set(entries.map(({ value }) => value))
  const lost = [...wanted, ...unwanted].filter((value) => !known.has(value))
  const all = [...lost.map((value) => ({ value, count: 0 })), ...entries]
  const shown = isLong ? all : all.slice(0, few + lost.length)
  return (
    <section className={styles.filterGroup}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ value, count }) => {
          const isExcluded = unwanted.includes(value)
          return (
            <li key={value}>
              <button
                type="button"
                className={styles.value}
                aria-pressed={wanted.includes(value)}
                data-excluded={isExcluded}
                title={t.servers.filterValueHint}
                onClick={(event) => onPick(value, event.altKey || isExcluded)}
              >
                <span className={styles.name}>{value}</span>
                {isExcluded && <span className="visuallyHidden">{t.servers.excluded}</span>}
                <span className={styles.count}>{number(count)}</span>
              </button>
            </li>
          )
        })}
        {isLong && others !== undefined && (
          <li className={styles.others}>
            {t.servers.otherValues}
            <span className={styles.count}>{number(others)}</span>
          </li>
        )}
      </ul>
      {all.length > few + lost.length && (
        <button type="button" className={styles.more} onClick={() => setLong(!isLong)}>
          {isLong ? t.servers.fewer : t.servers.allOf(number(all.length))}
        </button>
      )}
    </section>
  )
}
