import type { Resource } from '@muster/contract'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import {
  resourceQueries,
  resourceValuesQuery,
  type ResourcesQuery,
} from '../../api/queries/resources.ts'
import { completeTerms } from '../../filter/edit-query.ts'
import { ColumnsButton } from '../../inventory/columns-button.tsx'
import { FilterBar } from '../../inventory/filter-bar.tsx'
import { inventoryKinds, isInventoryKind, type InventoryKind } from '../../inventory/kinds.ts'
import { ListHead } from '../../inventory/list-head.tsx'
import styles from '../../inventory/list-page.module.css'
import {
  readListState,
  withoutEmpty,
  writeListState,
  type ListState,
} from '../../inventory/list-state.ts'
import { ListView } from '../../inventory/list-view.tsx'
import { PastNotice } from '../../inventory/past-notice.tsx'
import type { ResourceRow } from '../../inventory/resource-row.ts'
import { TimeControl } from '../../inventory/time-control.tsx'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useList } from '../../inventory/use-list.ts'
import { useFormat } from '../../messages/use-format.ts'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useScopePermission } from '../../session/use-scope-permission.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { tabClass, Tabs } from '../../ui/tabs.tsx'
import { AttachLink } from '../accounts/attach-link.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { ResourceCell } from './resource-cell.tsx'
import {
  columnsFor,
  defaultColumns,
  fieldsFor,
  filterKeys,
  filterValues,
  resources,
  visibleFields,
} from './resources.ts'

/** Whoever may list servers may list the resources that these servers refer to. */
const operation = 'listServers'

interface Props {
  readonly kind: InventoryKind
}

export function InfrastructurePage() {
  const { kind } = useParams({ strict: false })
  const t = useMessages().infrastructure
  const { allowed, reason } = usePermission(operation)
  if (!isInventoryKind(kind)) return <NotFoundPage />
  // Reset the state when the kind changes.
  if (allowed) return <ResourceList key={kind} kind={kind} />
  return (
    <Page title={t.kinds[kind]}>
      <NotAllowed title={t.notAllowed} reason={reason} />
    </Page>
  )
}

/** The list of one kind, as its description says. */
function ResourceList({ kind }: Props) {
  const t = useMessages().infrastructure
  const { number } = useFormat()
  const navigate = useNavigate()
  const resource: Resource = resources[kind]
  const hasSystemRole = useScopePermission(operation)('system')
  const fields = useMemo(() => visibleFields(resource, hasSystemRole), [resource, hasSystemRole])
  const [state, change, defaults] = useResourceListState(resource, fields)

  const { scope, sort } = state
  const asOf = useAsOf()
  const q = completeTerms(state.q)
  const query = useMemo<ResourcesQuery>(
    () => ({ q, scope, asOf, sort, fields: fieldsFor(resource, state.columns) }),
    [q, scope, asOf, sort, resource, state.columns],
  )
  const open = useCallback(
    ({ id }: ResourceRow) =>
      void navigate({
        to: '/infrastructure/$kind/$id',
        params: { kind, id },
      }),
    [navigate, kind],
  )
  const list = useList({
    listKey: JSON.stringify([q, scope, asOf, sort]),
    queryKey: JSON.stringify(query),
    queries: resourceQueries(resource, query),
    onOpen: open,
    filterValues: (row) => filterValues(resource, row),
  })
  const setQ = useCallback((next: string) => change({ q: next }, true), [change])
  const cell = useCallback(
    (field: string, row: ResourceRow) => <ResourceCell kind={kind} field={field} row={row} />,
    [kind],
  )
  const labelOf = (field: string) => t.fields[field] ?? field
  const columns = useMemo(
    () =>
      columnsFor(resource, state.columns).map((column) => ({
        ...column,
        title: t.fields[column.name] ?? column.name,
      })),
    [resource, state.columns, t],
  )
  return (
    <div className={styles.page}>
      <ListHead
        title={t.kinds[kind]}
        operation={operation}
        scope={scope}
        pages={list.pages}
        countText={(count, size) => t.countOf(kind, number(count), number(size))}
        isRejected={list.problem !== undefined}
        onScope={(next) => change({ scope: next })}
      >
        <TimeControl />
        <ColumnsButton
          columns={state.columns}
          names={defaults.names}
          defaults={defaults.columns}
          titleOf={labelOf}
          onChange={(next) => change({ columns: next }, true)}
        />
      </ListHead>
      <KindTabs />
      <PastNotice />
      <FilterBar
        q={state.q}
        label={t.filter(kind)}
        hint={t.filterHint}
        filters={{
          keys: filterKeys(resource, fields),
          labelOf,
          countsQuery: (text, names) =>
            resourceValuesQuery(resource, { q: text, scope, asOf }, names),
        }}
        problem={list.problem}
        onChange={setQ}
      />
      <div className={styles.list}>
        <ListView
          name={kind}
          title={t.kinds[kind]}
          list={list}
          q={state.q}
          columns={columns}
          cell={cell}
          sort={sort}
          empty={<NoResources kind={kind} q={q} onClear={() => change({ q: '' })} />}
          onSort={(next) => change({ sort: next })}
          onOpen={open}
          onQuery={(next) => change({ q: next })}
        />
      </div>
    </div>
  )
}

/** The state of the list, stored in the address only. */
function useResourceListState(resource: Resource, fields: readonly string[]) {
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const defaults = useMemo(
    () => ({
      names: fields,
      columns: defaultColumns(resource, fields),
      sort: { by: 'name', order: 'asc' as const },
    }),
    [resource, fields],
  )
  const state = useMemo(() => readListState(search, defaults), [search, defaults])
  const change = useCallback(
    (changes: Partial<ListState<string>>, replace = false) =>
      void navigate({
        to: '.',
        search: (before) =>
          withoutEmpty(
            writeListState({ ...readListState(before, defaults), ...changes }, defaults),
          ),
        replace,
        resetScroll: false,
      }),
    [navigate, defaults],
  )
  return [state, change, defaults] as const
}

function KindTabs() {
  const t = useMessages().infrastructure
  return (
    <Tabs label={t.tabs}>
      {inventoryKinds.map((kind) => (
        <Link
          key={kind}
          to="/infrastructure/$kind"
          params={{ kind }}
          className={tabClass}
          activeOptions={{ includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {t.kinds[kind]}
        </Link>
      ))}
    </Tabs>
  )
}

interface NoResourcesProps extends Props {
  /** The query without matches. */
  readonly q: string
  readonly onClear: () => void
}

/** The empty list: no match for the filter, or nothing at all. */
function NoResources({ kind, q, onClear }: NoResourcesProps) {
  const { infrastructure: t, servers } = useMessages()
  if (q !== '') {
    return (
      <EmptyState
        title={t.noMatch(kind)}
        actions={
          <Button look="primary" onClick={onClear}>
            {servers.clearFilter}
          </Button>
        }
      >
        {t.noMatchText(kind)} <code>{q}</code>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={t.none(kind)} actions={<AttachLink />}>
      {t.noneText(kind)}
    </EmptyState>
  )
}
