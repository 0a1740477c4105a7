import { Link } from '@tanstack/react-router'
import { Suspense, useCallback, useState } from 'react'
import { countsQuery, serverQueries } from '../../api/queries/servers.ts'
import { filterKeys, type FilterName } from '../../filter/keys.ts'
import { ColumnsButton } from '../../inventory/columns-button.tsx'
import { FilterBar } from '../../inventory/filter-bar.tsx'
import { ListHead } from '../../inventory/list-head.tsx'
import styles from '../../inventory/list-page.module.css'
import { ListView } from '../../inventory/list-view.tsx'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { TimeControl } from '../../inventory/time-control.tsx'
import { useList } from '../../inventory/use-list.ts'
import { useShown } from '../../inventory/use-shown.ts'
import { columnNames, defaultColumns } from '../../servers/columns.ts'
import type { Row } from '../../servers/row.ts'
import { isGroupRow } from '../../servers/server-groups.ts'
import { useFormat } from '../../messages/use-format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { SkeletonProperties } from '../../ui/skeleton.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { lazyPage } from '../lazy-page.ts'
import { FilterSidebar } from './filter-sidebar.tsx'
import { GroupMenu } from './group-menu.tsx'
import { ListTools } from './list-tools.tsx'
import { filterCountQueries } from './filter-counts.ts'
import { NoServers } from './no-servers.tsx'
import { useGroups } from './use-groups.ts'
import { useListState } from './use-list-state.ts'
import { useSelection } from './use-selection.ts'
import { useGroupLine, useServerCell, useServerColumns } from './use-server-columns.tsx'
import { useServersQuery } from './use-servers-query.ts'
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
  const { isBin, asOf } = state
  const { query, search } = useServersQuery(state)
  const { q } = query
  const listKey = JSON.stringify([q, state.scope, isBin, asOf, state.sort, state.groupBy])
  const { withRows, openGroup } = useGroups(query, state, change)

  const { scope } = state
  const filters = {
    keys: filterKeys,
    labelOf: (key: string) => t.servers.keys[key as FilterName],
    countsQuery: (text: string, fields: readonly string[]) =>
      countsQuery({ q: text, scope, isBin, asOf }, fields),
  }

  const open = (row: Row) => (isGroupRow(row) ? openGroup(row) : change({ panel: row.id }))
  const close = () => change({ panel: undefined })
  const setQ = useCallback((next: string) => change({ q: next }, { replace: true }), [change])
  const list = useList({
    listKey,
    queryKey: JSON.stringify(query),
    queries: { ...serverQueries(query), ...filterCountQueries(query, hasFilters) },
    onMove: (row) => {
      // An open panel follows the cursor.
      if (state.panel !== undefined && !isGroupRow(row))
        change({ panel: row.id }, { replace: true })
    },
    onOpen: open,
    onSelect: (row, index, isRange) => {
      if (!isGroupRow(row) && asOf === undefined) selection.toggle(row, index, isRange)
    },
    filterValues,
    withRows,
  })
  const { pages, moveTo } = list
  const selection = useSelection(listKey, isBin, (index) => {
    const row = pages.rowAt(index)
    return row && !isGroupRow(row) ? row : undefined
  })
  const openAt = useStableCallback((row: Row, index: number) => {
    moveTo(index)
    open(row)
  })

  const columns = useServerColumns(search.columns)
  const cell = useServerCell(selection, useShown(search, pages.isOutdated), openAt)
  const line = useGroupLine(state.groupBy, openAt)
  return (
    <div className={styles.page}>
      <ListHead
        title={t.servers.title}
        operation="listServers"
        scope={state.scope}
        pages={pages}
        countText={(count, size) => t.servers.countOf(number(count), number(size))}
        isRejected={list.problem !== undefined}
        onScope={(scope) => change({ scope })}
      >
        <TimeControl />
        <ViewsMenu state={state} onChange={change} />
        <ColumnsButton
          columns={state.columns}
          names={columnNames}
          defaults={defaultColumns}
          titleOf={(name) => t.servers.columns[name]}
          onChange={(columns) => change({ columns }, { replace: true })}
        />
        <GroupMenu
          groupBy={state.groupBy}
          scope={scope}
          onChange={(groupBy) => change({ groupBy, openGroups: [] })}
        />
        <ExportMenu
          heading={t.servers.exportAll(
            pages.isOutdated || pages.count === undefined ? '…' : number(pages.count),
          )}
          onExport={(kind) => saveServers(state, kind)}
        />
      </ListHead>
      <PastNotice>
        <Link
          to="/compare"
          search={{ q, scope, from: asOf }}
          className={buttonClass(undefined, true)}
        >
          {t.past.compare}
        </Link>
      </PastNotice>
      <FilterBar
        q={state.q}
        label={t.servers.filter}
        hint={t.servers.filterHint}
        filters={filters}
        problem={list.problem}
        onChange={setQ}
      />
      <ListTools
        q={q}
        scope={scope}
        list={list}
        selection={selection}
        isBin={isBin}
        onBin={(next) => change({ isBin: next, panel: undefined })}
        hasFilters={hasFilters}
        onFilters={setFilters}
      />
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
          <ListView
            name="servers"
            title={t.servers.title}
            list={list}
            q={state.q}
            columns={columns}
            cell={cell}
            line={line}
            sort={state.sort}
            openId={state.panel}
            selected={selection.ids}
            empty={
              <NoServers
                q={q}
                isBin={isBin}
                onClear={() => change({ q: '' })}
                onLeaveBin={() => change({ isBin: false })}
              />
            }
            onSort={(sort) => change({ sort })}
            onOpen={openAt}
            onQuery={(next) => change({ q: next })}
          />
        </div>
        {state.panel !== undefined && (
          <Suspense fallback={<SkeletonProperties hasTabs />}>
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
    </div>
  )
}

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
