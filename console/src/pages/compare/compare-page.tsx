import type { ServerDiffItem } from '@muster/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { diffQuery } from '../../api/queries/moment.ts'
import { rowsOf } from '../../api/query-result.ts'
import { GapList } from '../../inventory/gap-list.tsx'
import { scopeValues } from '../../inventory/list-state.ts'
import { toMoment } from '../../inventory/local-time.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { describeChanges } from '../../servers/describe-changes.ts'
import { FieldChanges } from '../../servers/field-changes.tsx'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { CompareServers } from './compare-servers.tsx'

const tones: Readonly<Record<ServerDiffItem['change'], Tone>> = {
  appeared: 'good',
  gone: 'bad',
  changed: 'busy',
}

const day = 86_400_000

/** Two moments, or several servers. */
export function ComparePage() {
  const { ids, as_of: asOf } = useSearch({ strict: false })
  if (ids) return <CompareServers ids={ids.split(',')} asOf={asOf} />
  return <CompareMoments />
}

/** What differs between a moment of the past and now, or another moment. */
function CompareMoments() {
  const { past: t, common } = useMessages()
  const { number, dateTime } = useFormat()
  const words = useChangeWords()
  const search = useSearch({ strict: false })
  // Without a moment in the address, the last day.
  const [yesterday] = useState(() => toMoment(Date.now() - day))
  const from = search['from'] ?? yesterday
  const to = search['to'] || undefined
  const q = search['q'] ?? ''
  const scope = scopeValues.find((value) => value === search['scope']) ?? 'max'
  const list = useInfiniteQuery(diffQuery({ from, to, q, scope }))
  const first = list.data?.pages[0]
  const query = rowsOf(list, ({ items }) => items)
  const columns: readonly Column<ServerDiffItem>[] = [
    {
      key: 'change',
      title: t.diff.change,
      cell: ({ change }) => <StatusMark tone={tones[change]}>{t.diff.changes[change]}</StatusMark>,
    },
    {
      key: 'server',
      title: t.diff.server,
      cell: ({ change, server_id: id, server_name }) => (
        <Link to="/servers/$id" params={{ id }} search={change === 'gone' ? { as_of: from } : {}}>
          <bdi>{server_name}</bdi>
        </Link>
      ),
    },
    {
      key: 'what',
      title: t.diff.what,
      cell: ({ changes }) => <FieldChanges changes={describeChanges(changes, words)} />,
    },
  ]
  return (
    <Page
      title={t.diff.title}
      lead={first && t.diff.between(dateTime(first.from), dateTime(first.to))}
      aside={
        <>
          <ScopeLabel operation="getServerDiff" scope={scope} />
          <Link to="/servers" search={{ q, scope, as_of: from }} className={buttonClass()}>
            {t.diff.toPast}
          </Link>
          <Link
            to="/changes"
            search={{ q, scope, since: from, until: to }}
            className={buttonClass()}
          >
            {t.diff.toChanges}
          </Link>
        </>
      }
    >
      {first && (
        <>
          <p role="status">
            {t.diff.counts(
              number(first.counts.appeared),
              number(first.counts.gone),
              number(first.counts.changed),
            )}
          </p>
          <GapList gaps={first.gaps} />
        </>
      )}
      {q !== '' && (
        <p>
          <code>{q}</code>
        </p>
      )}
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={12} />}
        empty={<EmptyState title={t.diff.empty}>{t.diff.emptyText}</EmptyState>}
      >
        {(rows) => (
          <>
            <Table
              caption={t.diff.title}
              columns={columns}
              rows={rows}
              rowKey={({ server_id }) => server_id}
            />
            {list.hasNextPage && (
              <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {common.more}
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}
