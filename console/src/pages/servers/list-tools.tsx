import type { maxBatchSize, ScopeParameter } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import styles from '../../inventory/list-page.module.css'
import { toMoment } from '../../inventory/local-time.ts'
import { useAsOf } from '../../inventory/use-as-of.ts'
import type { List } from '../../inventory/use-list.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { timesOfRows } from '../../servers/account-age.ts'
import type { Row } from '../../servers/row.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { readMoment } from '../../url/read-moment.ts'
import type { Search } from '../../url/search.ts'
import { DataAges } from './data-ages.tsx'
import type { Selection } from './use-selection.ts'

const mostInBatch: typeof maxBatchSize = 1_000

interface Props {
  readonly q: string
  readonly scope: ScopeParameter
  readonly list: List<Row>
  readonly selection: Selection
  readonly isBin: boolean
  readonly onBin: (isBin: boolean) => void
  /** Whether the filters at the side are shown. */
  readonly hasFilters: boolean
  readonly onFilters: (hasFilters: boolean) => void
}

/** Buttons above the list, and the age of the visible rows. */
export function ListTools(props: Props) {
  const { q, scope, list, selection, isBin, onBin, hasFilters, onFilters } = props
  const t = useMessages()
  const { pages, visible, listKey } = list
  const asOf = useAsOf()
  const isPast = asOf !== undefined
  const selectAll = !isPast && !isBin && !selection.isAll && (
    <SelectAll
      q={q}
      total={pages.isOutdated ? undefined : pages.count}
      onSelect={() => selection.selectAll(listKey)}
    />
  )
  const seen = Array.from({ length: visible.last - visible.first + 1 }, (_, at) =>
    pages.rowAt(visible.first + at),
  ).filter((row) => row !== undefined)
  return (
    <div className={styles.line}>
      {/* Covers the tools, so that the list does not move. */}
      {!isPast && (selection.isAll || selection.rows.length > 0) && (
        <BulkBar
          rows={selection.rows}
          all={selection.isAll ? { q, scope, count: pages.count ?? 0 } : undefined}
          isBin={isBin}
          onClear={() => {
            selection.clear()
            focusRow(list.cursor.index)
          }}
        >
          {selectAll}
        </BulkBar>
      )}
      <div className={styles.tools}>
        <Button
          look="quiet"
          small
          icon="filter"
          aria-expanded={hasFilters}
          onClick={() => onFilters(!hasFilters)}
        >
          {t.servers.filters}
        </Button>
        <Button look="quiet" small icon="trash" aria-pressed={isBin} onClick={() => onBin(!isBin)}>
          {t.actions.bin}
        </Button>
        <Link
          to="/changes"
          search={{ q, scope: scope === 'max' ? undefined : scope, ...changesUntil(asOf) }}
          className={buttonClass('quiet', true)}
        >
          <Icon name="changes" />
          {t.changes.title}
        </Link>
        {selectAll}
      </div>
      <DataAges seen={timesOfRows(seen)} />
    </div>
  )
}

const week = 7 * 86_400_000

/** The week of changes up to a moment of the past. Without one, the page has its own period. */
function changesUntil(asOf: string | undefined): Search {
  const time = asOf === undefined ? undefined : readMoment(asOf, Date.now())
  return time === undefined ? {} : { since: toMoment(time - week), until: asOf }
}

/** Focuses a row of the list, or else the first one, after the dialog or bar that had the focus is gone. */
function focusRow(index: number): void {
  setTimeout(() => {
    const row =
      document.getElementById(`row-${index}`) ?? document.querySelector<HTMLElement>('[id^=row-]')
    row?.focus({ preventScroll: true })
  })
}

interface SelectAllProps {
  readonly q: string
  readonly total: number | undefined
  readonly onSelect: () => void
}

/** Selects all servers that match the filter, loaded or not. */
function SelectAll({ q, total, onSelect }: SelectAllProps) {
  const { actions: t } = useMessages()
  const { number } = useFormat()
  if (q === '' || total === undefined || total === 0) return null
  return (
    <Button
      look="quiet"
      small
      icon="check"
      disabledReason={total > mostInBatch ? t.tooMany(number(mostInBatch)) : undefined}
      onClick={onSelect}
    >
      {t.selectAll(number(total))}
    </Button>
  )
}
