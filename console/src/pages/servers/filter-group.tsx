import { useState } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import {
  groupOfStatus,
  groupTones,
  statusesIn,
  statusTone,
  type StatusGroup,
} from '../../servers/status.ts'
import { ProviderMark } from '../../servers/provider-mark.tsx'
import { namedGroups, useValueNames } from '../../servers/value-names.ts'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import styles from './filter-sidebar.module.css'
import type { FilterCounts, FilterGroupName } from './filter-counts.ts'

interface Props {
  readonly name: FilterGroupName
  readonly title: string
  readonly counts: FilterCounts
  readonly wanted: readonly string[]
  readonly unwanted: readonly string[]
  readonly onPick: (values: readonly string[], isExcluded: boolean) => void
}

const few = 6

interface Row {
  readonly key: string
  readonly label: string
  /** The API value, if the label differs from it. */
  readonly word: string | undefined
  readonly values: readonly string[]
  readonly count: number
  readonly tone?: Tone
}

/** The many changing and failed statuses become one row each. */
function collapseStatuses(
  rows: readonly Row[],
  groupNames: Readonly<Record<StatusGroup, string>>,
): readonly Row[] {
  const collapsed = namedGroups.flatMap((group) => {
    const members = rows.filter(({ key }) => groupOfStatus(key) === group)
    const count = members.reduce((sum, row) => sum + row.count, 0)
    const values = statusesIn[group]
    const row = { key: group, label: groupNames[group], word: undefined, values, count }
    return members.length > 0 ? [{ ...row, tone: groupTones[group] }] : []
  })
  const others = rows.filter(({ key }) => !['changing', 'failed'].includes(groupOfStatus(key)))
  return [...others, ...collapsed]
}

export function FilterGroup({ name, title, counts, wanted, unwanted, onPick }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const names = useValueNames()
  const { entries, others } = counts
  const [isLong, setLong] = useState(false)
  const isFiltered = wanted.length + unwanted.length > 0
  // Hide a single value, unless it is part of the filter.
  if (entries.length < 2 && !isFiltered) return null
  const known = new Set(entries.map(({ value }) => value))
  const lost = [...wanted, ...unwanted].filter((value) => !known.has(value))
  const all = [...lost.map((value) => ({ value, count: 0 })), ...entries]
  const rows: readonly Row[] = all.map(({ value, count }) => ({
    key: value,
    label: names.name(name, value),
    // Queries have the API value.
    word: name === 'status' ? names.apiWord(name, value) : undefined,
    values: [value],
    count,
    ...(name === 'status' && { tone: statusTone(value) }),
  }))
  const brief = name === 'status' ? collapseStatuses(rows, t.values.statusGroups) : rows
  const shown = isLong ? rows : brief.slice(0, few + lost.length)
  return (
    <section className={styles.filterGroup}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ key, label, word, values, count, tone }) => {
          const isExcluded = values.every((value) => unwanted.includes(value))
          return (
            <li key={key}>
              <button
                type="button"
                className={styles.value}
                aria-pressed={values.every((value) => wanted.includes(value))}
                data-excluded={isExcluded}
                title={`${label}${word === undefined ? '' : ` (${word})`} · ${t.servers.filterValueHint}`}
                onClick={(event) => onPick(values, event.altKey || isExcluded)}
              >
                <span className={styles.name}>
                  {name === 'provider' && <ProviderMark provider={key} />}
                  {tone ? <StatusMark tone={tone}>{label}</StatusMark> : label}
                </span>
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
      {(brief.length > few + lost.length || brief.length < rows.length) && (
        <button type="button" className={styles.more} onClick={() => setLong(!isLong)}>
          {isLong ? t.servers.fewer : t.servers.allOf(number(all.length))}
        </button>
      )}
    </section>
  )
}
