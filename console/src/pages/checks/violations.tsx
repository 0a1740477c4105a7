import type { Check } from '@muster/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { violationsQuery } from '../../api/queries/checks.ts'
import { rowsOf } from '../../api/query-result.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { tabClass, Tabs } from '../../ui/tabs.tsx'
import { useViolationColumns } from './use-violation-columns.tsx'

/** Who violates a check, or did. */
export function Violations({ check }: { readonly check: Check }) {
  const { checks: t, common } = useMessages()
  const isOpen = useSearch({ strict: false })['view'] !== 'ended'
  const list = useInfiniteQuery(violationsQuery(check.id, isOpen))
  const query = rowsOf(list, ({ violations }) => violations)
  const columns = useViolationColumns(check, query.data ?? [], isOpen)
  return (
    <>
      <Tabs label={t.parts}>
        {(['open', 'ended'] as const).map((name) => (
          <Link
            key={name}
            to="/checks/$id"
            params={{ id: check.id }}
            search={name === 'open' ? {} : { view: name }}
            className={tabClass}
            aria-current={(name === 'open') === isOpen ? 'page' : undefined}
          >
            {t[name]}
          </Link>
        ))}
      </Tabs>
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={6} />}
        empty={<EmptyState title={isOpen ? t.noViolations : t.noEnded} />}
      >
        {(rows) => (
          <>
            <Table caption={t.parts} columns={columns} rows={rows} rowKey={({ id }) => id} />
            {list.hasNextPage && (
              <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {common.more}
              </Button>
            )}
          </>
        )}
      </QueryView>
    </>
  )
}
