import { ApiError } from '@muster/sdk'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { fleetSizeQuery, type ServersQuery } from '../../api/queries/servers.ts'
import { exclude, filterTo, completeTerms } from '../../filter/edit-query.ts'
import { timesOfRows } from '../../servers/account-age.ts'
import { fieldsFor } from '../../servers/columns.ts'
import type { Row } from '../../servers/stable-pages.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { lazyPage } from '../lazy-page.ts'
import { BulkBar } from './bulk-bar.tsx'
import { ColumnsDialog } from './columns-dialog.tsx'
import { DataAges } from './data-ages.tsx'
import { FilterSidebar } from './filter-sidebar.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ListHead } from './list-head.tsx'
import { NoServers } from './no-servers.tsx'
import { ServersTable } from './servers-table.tsx'
import styles from './servers-page.module.css'
import { useListKeys } from './use-list-keys.ts'
import { useListState } from './use-list-state.ts'
import { useServerPages } from './use-server-pages.ts'
import { ValueMenu, type PickedValue } from './value-menu.tsx'

/** Not part of the first load: the list comes first. */
const ServerPanel = lazyPage(() => import('../server/server-panel.tsx'), 'ServerPanel')

const wide = matchMedia('(min-width: 860px)')

/** Errors of the query are shown at the filter, not instead of the list. */
function problemOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const [field] = error.fields
  return field?.path === 'q' ? `${name} ${field.problem}` : error.details
}

export function ServersPage() {
  const t = useMessages()
  const [state, change] = useListState()
  const [inSight, setInSight] = useState({ first: 0, last: 0 })
  const [hasFilters, setFilters] = useState(wide.matches)
  const [isChoosing, setChoosing] = useState(false)
  const [picked, setPicked] = useState<{ values: readonly PickedValue[]; anchor: DOMRect }>()
  const selection = useSelection()

  const q = completeTerms(state.q)
  const query = useMemo<ServersQuery>(
    () => ({ q, scope: state.scope, sort: state.sort, fields: fieldsFor(state.columns) }),
    [q, state.scope, state.sort, state.columns],
  )
  const listKey = JSON.stringify([q, state.scope, state.sort])
  const [sightOf, setSightOf] = useState(listKey)
  if (sightOf !== listKey) {
    setSightOf(listKey)
    // A new list starts at the top, wherever the previous one was scrolled to.
    setInSight(({ first, last }) => ({ first: 0, last: last - first }))
  }
  const pages = useServerPages(query, inSight)
  const { data: fleetSize } = useQuery(fleetSizeQuery(state.scope))
  const problem = problemOf(pages.query.error, t.servers.theFilter)

  const onRange = useCallback((first: number, last: number) => setInSight({ first, last }), [])
  const open = useCallback((row: Row) => change({ panel: row.id }), [change])
  const close = () => change({ panel: undefined })
  const setQ = useCallback((next: string) => change({ q: next }, { replace: true }), [change])
  const keys = useListKeys({
    pages,
    listKey,
    panel: state.panel,
    change,
    onSelect: selection.toggle,
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

  const seen = Array.from({ length: inSight.last - inSight.first + 1 }, (_, at) =>
    pages.rowAt(inSight.first + at),
  ).filter((row) => row !== undefined)
  return (
    <div className={styles.page}>
      <ListHead
        state={state}
        pages={pages}
        fleetSize={fleetSize}
        isRejected={problem !== undefined}
        onChange={change}
        onColumns={() => setChoosing(true)}
      />
      <FilterBar q={state.q} scope={state.scope} problem={problem} onChange={setQ} />
      <div className={styles.line}>
        <Button
          look="quiet"
          small
          icon="filter"
          aria-expanded={hasFilters}
          onClick={() => setFilters(!hasFilters)}
        >
          {t.servers.filters}
        </Button>
        <DataAges seen={timesOfRows(seen)} />
      </div>
      <div className={styles.body} data-filters={hasFilters} data-panel={state.panel !== undefined}>
        {hasFilters && (
          <FilterSidebar
            q={state.q}
            scope={state.scope}
            hasRows={pages.total !== undefined && !pages.isOutdated}
            onChange={(next) => change({ q: next })}
          />
        )}
        <div className={styles.list}>
          {selection.rows.length > 0 && <BulkBar rows={selection.rows} onClear={selection.clear} />}
          <QueryView
            query={pages.query}
            isEmpty={(total) => total === 0}
            empty={<NoServers q={q} onClear={() => change({ q: '' })} />}
            skeleton={<SkeletonRows rows={16} />}
            // The filter bar shows errors of the query.
            failure={() => problem !== undefined && <></>}
            className={styles.table}
          >
            {() => (
              <ServersTable
                pages={pages}
                listKey={listKey}
                columns={state.columns}
                sort={state.sort}
                cursor={keys.cursor}
                openId={state.panel}
                selected={selection.ids}
                onSort={(sort) => change({ sort })}
                onRange={onRange}
                onOpen={openAt}
                onSelect={selection.toggle}
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

/** The selected servers, across pages. */
function useSelection() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const toggle = useCallback(
    (row: Row) =>
      setChosen((before) => {
        const next = new Map(before)
        if (!next.delete(row.id)) next.set(row.id, row)
        return next
      }),
    [],
  )
  const clear = useCallback(() => setChosen(new Map()), [])
  const ids = useMemo<ReadonlySet<string>>(() => new Set(chosen.keys()), [chosen])
  return { rows: [...chosen.values()], ids, toggle, clear }
}
