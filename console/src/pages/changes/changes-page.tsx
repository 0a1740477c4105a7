import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { changeCountsQuery, toChangeQuery, type ChangeFilter } from '../../api/queries/changes.ts'
import { countsQuery } from '../../api/queries/servers.ts'
import { exportFormat, saveExport } from '../../api/save-export.ts'
import { completeTerms } from '../../filter/edit-query.ts'
import { filterKeys, type FilterName } from '../../filter/keys.ts'
import { FilterBar } from '../../inventory/filter-bar.tsx'
import { ScopeMenu } from '../../inventory/scope-menu.tsx'
import { queryProblem } from '../../inventory/use-list.ts'
import { useFormat } from '../../messages/use-format.ts'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { ChangeDay } from './change-day.tsx'
import { readMoment } from '../../url/read-moment.ts'
import { ChangeTools } from './change-tools.tsx'
import styles from './changes.module.css'
import { daysOf } from './group-counts.ts'
import { useChangeState } from './use-change-state.ts'

const operation = 'getServerChanges'

export function ChangesPage() {
  const { changes: t } = useMessages()
  const { allowed, reason } = usePermission(operation)
  if (allowed) return <Changes />
  return (
    <Page title={t.title}>
      <NotAllowed title={t.notAllowed} reason={reason} />
    </Page>
  )
}

/** The changes of the servers that match: per day and project how many, and each in words. */
function Changes() {
  const t = useMessages()
  const queryClient = useQueryClient()
  const [state, change] = useChangeState()
  const [now] = useState(() => Date.now())
  const { scope, kinds, newStatus, since, until } = state
  const q = completeTerms(state.q)
  const filter = useMemo<ChangeFilter>(
    () => ({ q, scope, kinds, newStatus, since, until }),
    [q, scope, kinds, newStatus, since, until],
  )
  const counts = useQuery(changeCountsQuery(filter, ['day'], true))
  const days = { ...counts, data: counts.data && daysOf(counts.data, readMoment(since, now)) }
  const problem = queryProblem(counts.error, t.servers.theFilter)
  const setQ = useCallback((next: string) => change({ q: next }, true), [change])
  const isNarrowed = q !== '' || kinds.length > 0 || newStatus !== undefined
  const toggle = (entry: string) =>
    change(
      {
        open: state.open.includes(entry)
          ? state.open.filter((other) => other !== entry)
          : [...state.open, entry],
      },
      true,
    )
  return (
    <Page
      title={t.changes.title}
      lead={t.changes.lead}
      aside={
        <>
          <ScopeLabel operation={operation} scope={scope} />
          <ScopeMenu
            operation={operation}
            scope={scope}
            onScope={(next) => change({ scope: next })}
          />
          <ExportMenu
            heading={t.changes.exportAll}
            onExport={async (kind) => {
              const query = { ...toChangeQuery(filter), format: exportFormat(kind) }
              await saveExport(await api.stream(operation, { query }), 'changes', kind)
            }}
          />
          <Button
            icon="refresh"
            busy={counts.isRefetching && !counts.isPlaceholderData}
            onClick={() => void queryClient.invalidateQueries({ queryKey: ['changes'] })}
          >
            {t.common.refresh}
          </Button>
        </>
      }
    >
      <div className={styles.filters}>
        <FilterBar
          q={state.q}
          label={t.servers.filter}
          hint={t.servers.filterHint}
          filters={{
            keys: filterKeys,
            labelOf: (key) => t.servers.keys[key as FilterName],
            countsQuery: (text, fields) => countsQuery({ q: text, scope, isBin: false }, fields),
          }}
          problem={problem}
          onChange={setQ}
        />
        <ChangeTools state={state} now={now} onChange={change} />
      </div>
      <QueryView
        query={days}
        skeleton={<SkeletonRows rows={12} isPlain />}
        // The filter bar shows errors of the query.
        failure={() => problem !== undefined && <></>}
        empty={
          <EmptyState
            title={isNarrowed ? t.changes.noMatch : t.changes.empty}
            actions={
              isNarrowed && (
                <Button
                  look="primary"
                  onClick={() => change({ q: '', kinds: [], newStatus: undefined })}
                >
                  {t.servers.clearFilter}
                </Button>
              )
            }
          >
            {isNarrowed ? t.changes.noMatchText : t.changes.emptyText}
          </EmptyState>
        }
      >
        {(data) => (
          <Days days={data} filter={filter} now={now} open={state.open} onToggle={toggle} />
        )}
      </QueryView>
    </Page>
  )
}

/** A month. Earlier days are shown on demand. */
const mostDays = 31

interface DaysProps {
  readonly days: ReturnType<typeof daysOf>
  readonly filter: ChangeFilter
  readonly now: number
  readonly open: readonly string[]
  readonly onToggle: (entry: string) => void
}

function Days({ days, filter, now, open, onToggle }: DaysProps) {
  const { changes: t } = useMessages()
  const { number } = useFormat()
  const words = useChangeWords()
  const [areAllShown, setAllShown] = useState(false)
  const shown = areAllShown ? days : days.slice(0, mostDays)
  return (
    <div className={styles.days}>
      {shown.map(({ date, count }) => (
        <ChangeDay
          key={date}
          date={date}
          count={count}
          filter={filter}
          now={now}
          words={words}
          open={open}
          onToggle={onToggle}
        />
      ))}
      {shown.length < days.length && (
        <div>
          <Button onClick={() => setAllShown(true)}>
            {t.days(number(days.length - shown.length))}
          </Button>
        </div>
      )}
    </div>
  )
}
