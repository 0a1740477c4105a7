import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { namedQuery, entitiesQuery } from '../../api/queries/entities.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { findEntities, withOthers } from './find-entities.ts'
import { ListFilters } from './list-filters.tsx'
import { isNarrowed, readListState, toListQuery } from './list-state.ts'
import styles from './entity-list.module.css'
import { useColumns } from './use-columns.tsx'

const settled = 250

/** The list of one kind. The API filters and sorts; the text search runs on loaded rows. */
export function EntityList({ kind }: { readonly kind: Kind }) {
  const t = useAllMessages()
  const format = useFormat()
  const navigate = useNavigate()
  const state = readListState(kind, useSearch({ strict: false }))
  const list = useInfiniteQuery(entitiesQuery(kind, toListQuery(state)))
  const loaded: readonly AnyEntity[] = list.data?.pages.flatMap(({ entities }) => entities) ?? []
  const find = useDeferredValue(state.find)
  const exact = useDebounced(find.trim(), settled)
  // Rows that are not loaded are found by exact name only.
  const named = useQuery({
    ...namedQuery(kind, exact),
    enabled: exact !== '' && list.hasNextPage,
  })
  const rows = withOthers(findEntities(loaded, find), find === '' ? [] : (named.data ?? []))
  const isFinding = named.isFetching || (list.hasNextPage && exact !== find.trim())
  const found = {
    ...list,
    data: list.data && rows,
    isPlaceholderData: list.isPlaceholderData || isFinding,
  }
  const columns: readonly Column<AnyEntity>[] = useColumns(kind, rows)
  const canCreate = usePermission(kindOperations[kind].create)

  const change = (changes: Readonly<Record<string, string>>) =>
    void navigate({
      to: '/identity/$kind',
      params: { kind },
      search: (before) => ({ ...before, ...changes }),
      replace: true,
    })
  const clear = () => void navigate({ to: '/identity/$kind', params: { kind }, search: {} })

  const count = format.number(loaded.length)
  return (
    <>
      <ListFilters kind={kind} state={state} onChange={change}>
        <span role="status" className={styles.count}>
          {found.isPlaceholderData
            ? t.connection.searching
            : list.data &&
              (find.trim() === ''
                ? t.identity.shown(count, list.hasNextPage)
                : t.identity.found(format.number(rows.length), count))}
        </span>
        <ScopeLabel operation={kindOperations[kind].list} />
      </ListFilters>
      <QueryView
        query={found}
        skeleton={<SkeletonRows />}
        empty={
          isNarrowed(state) ? (
            <EmptyState
              title={t.identity.noMatch}
              actions={<Button onClick={clear}>{t.identity.clear}</Button>}
            >
              {t.identity.noMatchText}
            </EmptyState>
          ) : (
            <EmptyState title={t.identity.emptyTitle[kind]}>
              {canCreate.allowed && t.identity.emptyText[kind]}
            </EmptyState>
          )
        }
      >
        {(shown) => (
          <Table
            caption={t.identity.kinds[kind]}
            columns={columns}
            rows={shown}
            rowKey={({ id }) => id}
            sort={state.sort}
            onSort={({ by, order }) => change({ sort: by, order })}
          />
        )}
      </QueryView>
      {list.hasNextPage && (
        <div className={styles.more}>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t.common.more}
          </Button>
          {find.trim() !== '' && <p className={styles.count}>{t.identity.foundPartly}</p>}
        </div>
      )}
    </>
  )
}
