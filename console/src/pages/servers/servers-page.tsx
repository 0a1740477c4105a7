import type { maxBatchSize } from '@muster/contract'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { countsQuery, serverQueries, type ServersQuery } from '../../api/queries/servers.ts'
import { exclude, filterTo, completeTerms } from '../../filter/edit-query.ts'
import { timesOfRows } from '../../servers/account-age.ts'
import { filterKeys, type FilterName } from '../../filter/keys.ts'
import { ColumnsDialog } from '../../inventory/columns-dialog.tsx'
import { FilterBar } from '../../inventory/filter-bar.tsx'
import { ListHead } from '../../inventory/list-head.tsx'
import styles from '../../inventory/list-page.module.css'
import { ListTable } from '../../inventory/list-table.tsx'
import { queryProblem } from '../../inventory/query-problem.ts'
import { useListKeys } from '../../inventory/use-list-keys.ts'
import { usePages, useVisibleRange } from '../../inventory/use-pages.ts'
import { ValueMenu, type PickedValue } from '../../inventory/value-menu.tsx'
import { Cell } from '../../servers/cell.tsx'
import {
  columnDefinition,
  columnNames,
  defaultColumns,
  fieldsFor,
  withBinColumn,
  type ColumnName,
} from '../../servers/columns.ts'
import type { Row } from '../../servers/row.ts'
import { useFormat } from '../../messages/use-format.ts'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { lazyPage } from '../lazy-page.ts'
import { BulkBar } from './bulk-bar.tsx'
import { DataAges } from './data-ages.tsx'
import { FilterSidebar } from './filter-sidebar.tsx'
import { NameCell } from './name-cell.tsx'
import { filterCountQueries } from './filter-counts.ts'
import { NoServers } from './no-servers.tsx'
import { useListState } from './use-list-state.ts'
import { ViewsMenu } from './views-menu.tsx'
import { api } from '../../api/client.ts'
import { exportFormat, saveExport, type ExportKind } from '../../api/save-export.ts'
import { exportQuery } from '../../servers/export-query.ts'
import type { ListState } from '../../servers/list-state.ts'

/** Saves all matching servers as a file. */
async function saveServers(state: ListState, kind: ExportKind): Promise<void> {
  const query = exportQuery(state, exportFormat(kind))
  await saveExport(await api.stream('listServers', { query }), 'servers', kind)
}

/** Not part of the first load: the list comes first. */
const ServerPanel = lazyPage(() => import('../server/server-panel.tsx'), 'ServerPanel')

const wide = matchMedia('(min-width: 860px)')

export function ServersPage() {
  const t = useMessages()
  const { number } = useFormat()
  const [state, change] = useListState()
  const [hasFilters, setFilters] = useState(wide.matches)
  const [isChoosing, setChoosing] = useState(false)
  const [picked, setPicked] = useState<{ values: readonly PickedValue[]; anchor: DOMRect }>()
  const { isBin } = state
  const columnsShown = useMemo(
    () => (isBin ? withBinColumn(state.columns) : state.columns),
    [isBin, state.columns],
  )
  const q = completeTerms(state.q)
  const query = useMemo<ServersQuery>(
    () => ({ q, scope: state.scope, isBin, sort: state.sort, fields: fieldsFor(columnsShown) }),
    [q, state.scope, isBin, state.sort, columnsShown],
  )
  const listKey = JSON.stringify([q, state.scope, isBin, state.sort])
  const selection = useSelection(listKey, isBin)
  const [visible, setVisible] = useVisibleRange(listKey)
  const queries = { ...serverQueries(query), ...filterCountQueries(query, hasFilters) }
  const pages = usePages(JSON.stringify(query), queries, visible)
  const problem = queryProblem(pages.query.error, t.servers.theFilter)

  const { scope } = state
  const filters = {
    keys: filterKeys,
    labelOf: (key: string) => t.servers.keys[key as FilterName],
    countsQuery: (text: string, fields: readonly string[]) =>
      countsQuery({ q: text, scope, isBin }, fields),
  }

  const onRange = useCallback(
    (first: number, last: number) => setVisible({ first, last }),
    [setVisible],
  )
  const open = useCallback((row: Row) => change({ panel: row.id }), [change])
  const close = () => change({ panel: undefined })
  const setQ = useCallback((next: string) => change({ q: next }, { replace: true }), [change])
  const keys = useListKeys({
    pages,
    listKey,
    onMove: (row) => {
      // An open panel follows the cursor.
      if (state.panel !== undefined) change({ panel: row.id }, { replace: true })
    },
    onOpen: open,
    onSelect: selection.toggle,
    filterValues,
    onPick: setPicked,
  })
  const { moveTo } = keys
  const openAt = useCallback(
    (row: Row, index: number) => {
      moveTo(index)
      open(row)
    },
    [moveTo, open],
  )

  const { ids, toggle } = selection
  const cell = useCallback(
    (column: ColumnName, row: Row, index: number) =>
      column === 'name' ? (
        <NameCell
          row={row}
          isSelected={ids.has(row.id)}
          onOpen={() => openAt(row, index)}
          onSelect={toggle}
        />
      ) : (
        <Cell column={column} row={row} />
      ),
    [ids, toggle, openAt],
  )
  const columns = useMemo(
    () =>
      columnsShown.map((name) => ({
        name,
        title: t.servers.columns[name],
        ...columnDefinition(name),
      })),
    [columnsShown, t],
  )

  const seen = Array.from({ length: visible.last - visible.first + 1 }, (_, at) =>
    pages.rowAt(visible.first + at),
  ).filter((row) => row !== undefined)
  return (
    <div className={styles.page}>
      <ListHead
        title={t.servers.title}
        operation="listServers"
        scope={state.scope}
        pages={pages}
        countText={(count, size) => t.servers.countOf(number(count), number(size))}
        isRejected={problem !== undefined}
        onScope={(scope) => change({ scope })}
      >
        <ViewsMenu state={state} onChange={change} />
        <Button icon="columns" onClick={() => setChoosing(true)} aria-haspopup="dialog">
          {t.servers.columnsButton}
        </Button>
        <ExportMenu
          heading={t.servers.exportAll(
            pages.isOutdated || pages.count === undefined ? '…' : number(pages.count),
          )}
          onExport={(kind) => saveServers(state, kind)}
        />
      </ListHead>
      <FilterBar
        q={state.q}
        label={t.servers.filter}
        hint={t.servers.filterHint}
        filters={filters}
        problem={problem}
        onChange={setQ}
      />
      <div className={styles.line}>
        <div className={styles.tools}>
          <Button
            look="quiet"
            small
            icon="filter"
            aria-expanded={hasFilters}
            onClick={() => setFilters(!hasFilters)}
          >
            {t.servers.filters}
          </Button>
          <Button
            look="quiet"
            small
            icon="trash"
            aria-pressed={isBin}
            onClick={() => change({ isBin: !isBin, panel: undefined })}
          >
            {t.actions.bin}
          </Button>
          <SelectAll
            q={q}
            total={pages.isOutdated ? undefined : pages.count}
            isHidden={isBin || selection.isAll}
            onSelect={() => selection.selectAll(listKey)}
          />
        </div>
        <DataAges seen={timesOfRows(seen)} />
      </div>
      <div className={styles.body} data-filters={hasFilters} data-panel={state.panel !== undefined}>
        {hasFilters && (
          <FilterSidebar
            q={state.q}
            counts={pages.counts}
            hasOtherCounts={pages.hasOtherCounts}
            isUpdating={pages.isUpdating}
            onChange={(next) => change({ q: next })}
          />
        )}
        <div className={styles.list}>
          {(selection.isAll || selection.rows.length > 0) && (
            <BulkBar
              rows={selection.rows}
              all={selection.isAll ? { q, scope, count: pages.count ?? 0 } : undefined}
              isBin={isBin}
              onClear={selection.clear}
            />
          )}
          <QueryView
            query={pages.query}
            isEmpty={(total) => total === 0}
            empty={
              <NoServers
                q={q}
                isBin={isBin}
                onClear={() => change({ q: '' })}
                onLeaveBin={() => change({ isBin: false })}
              />
            }
            skeleton={<SkeletonRows rows={16} />}
            // The filter bar shows errors of the query.
            failure={() => problem !== undefined && <></>}
            className={styles.table}
          >
            {() => (
              <ListTable
                title={t.servers.title}
                pages={pages}
                listKey={listKey}
                columns={columns}
                cell={cell}
                sort={state.sort}
                cursor={keys.cursor}
                openId={state.panel}
                selected={ids}
                onSort={(sort) => change({ sort })}
                onRange={onRange}
                onOpen={openAt}
                onReach={moveTo}
                onValue={(element) => {
                  const { filter = '', value = '' } = element.dataset
                  setPicked({
                    values: [{ name: filter, value }],
                    anchor: element.getBoundingClientRect(),
                  })
                }}
              />
            )}
          </QueryView>
        </div>
        {state.panel !== undefined && (
          <Suspense fallback={<SkeletonRows rows={14} />}>
            <ServerPanel
              key={state.panel}
              id={state.panel}
              tab={state.tab}
              onTab={(tab) => change({ tab }, { replace: true })}
              onClose={close}
            />
          </Suspense>
        )}
      </div>
      {isChoosing && (
        <ColumnsDialog
          columns={state.columns}
          names={columnNames}
          defaults={defaultColumns}
          titleOf={(name) => t.servers.columns[name]}
          onChange={(columns) => change({ columns }, { replace: true })}
          onClose={() => setChoosing(false)}
        />
      )}
      {picked && (
        <ValueMenu
          {...picked}
          onFilter={({ name, value }) => change({ q: filterTo(state.q, name, value) })}
          onExclude={({ name, value }) => change({ q: exclude(state.q, name, [value]) })}
          onClose={() => setPicked(undefined)}
        />
      )}
    </div>
  )
}

/** The selected servers, across pages, or all that match the query of a list. */
function useSelection(listKey: string, isBin: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string>()
  const [binOf, setBinOf] = useState(isBin)
  if (binOf !== isBin) {
    // Other actions apply to servers in the recycle bin.
    setBinOf(isBin)
    setChosen(new Map())
  }
  const toggle = useCallback(
    (row: Row) =>
      setChosen((before) => {
        const next = new Map(before)
        if (!next.delete(row.id)) next.set(row.id, row)
        return next
      }),
    [],
  )
  const clear = useCallback(() => {
    setChosen(new Map())
    setAllOf(undefined)
  }, [])
  const ids = useMemo<ReadonlySet<string>>(() => new Set(chosen.keys()), [chosen])
  const isAll = allOf === listKey
  return { rows: [...chosen.values()], ids, toggle, clear, isAll, selectAll: setAllOf }
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

const mostInBatch: typeof maxBatchSize = 1_000

/** The values of a server that make sense as filters. */
function filterValues(row: Row): { name: string; value: string }[] {
  const {
    status = '',
    project = '',
    provider = '',
    region = '',
    account = '',
    os_type = '',
    os_name = '',
  } = row
  const values = { status, project, provider, region, account, os: os_type, os_name }
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value }))
}
