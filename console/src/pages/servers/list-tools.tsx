import type { maxBatchSize, ScopeParameter } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import styles from '../../inventory/list-page.module.css'
import type { List } from '../../inventory/use-list.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { timesOfRows } from '../../servers/account-age.ts'
import type { Row } from '../../servers/row.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
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
  const seen = Array.from({ length: visible.last - visible.first + 1 }, (_, at) =>
    pages.rowAt(visible.first + at),
  ).filter((row) => row !== undefined)
  return (
    <div className={styles.line}>
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
          search={{ q, scope: scope === 'max' ? undefined : scope }}
          className={buttonClass('quiet', true)}
        >
          <Icon name="changes" />
          {t.changes.title}
        </Link>
        <SelectAll
          q={q}
          total={pages.isOutdated ? undefined : pages.count}
          isHidden={isBin || selection.isAll}
          onSelect={() => selection.selectAll(listKey)}
        />
      </div>
      <DataAges seen={timesOfRows(seen)} />
    </div>
  )
}

interface SelectAllProps {
  readonly q: string
  readonly total: number | undefined
  readonly isHidden: boolean
  readonly onSelect: () => void
}

/** Selects all servers that match the filter, loaded or not. */
function SelectAll({ q, total, isHidden, onSelect }: SelectAllProps) {
  const { actions: t } = useMessages()
  const { number } = useFormat()
  if (isHidden || q === '' || total === undefined || total === 0) return null
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
