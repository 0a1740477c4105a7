import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { TimeControl } from '../../inventory/time-control.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { openIn, toggleRegion } from './open-regions.ts'
import { LocationsTable } from './locations-table.tsx'
import { useLocations } from './use-locations.ts'
import { useId, type RefObject } from 'react'
import field from '../../ui/field.module.css'
import styles from './location-search.module.css'

/** The locations page: providers, regions and zones. */
export function LocationsPage() {
  const t = useMessages().locations
  const { allowed, reason } = usePermission('getServerStatistics')
  if (allowed) return <Locations />
  return (
    <Page title={t.title}>
      <NotAllowed title={t.notAllowed} reason={reason} />
    </Page>
  )
}

function Locations() {
  const t = useMessages().locations
  const { number } = useFormat()
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const find = (search.find ?? '').trim()
  const { whole, found, regions, retry } = useLocations(openIn(search.open), find)

  const keep = (key: 'find' | 'open', value: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [key]: value }),
      replace: true,
      resetScroll: false,
    })
  const { box, text, type } = useDebouncedInput(find, (next) => keep('find', next.trim()))

  const { data } = whole
  const locations = found.data?.filter(({ kind }) => kind === 'location').length
  const providers = data?.groups['provider']?.length ?? 0
  return (
    <Page
      title={t.title}
      lead={t.lead}
      aside={
        <>
          {data && <span>{t.count(number(providers), number(regions))}</span>}
          <ScopeLabel operation="getServerStatistics" />
          <TimeControl />
        </>
      }
    >
      <PastNotice />
      <QueryView
        query={whole}
        isEmpty={({ total }) => total.count === 0}
        empty={<NoLocations />}
        skeleton={<SkeletonRows rows={12} />}
      >
        {({ total }) => (
          <>
            <LocationSearch
              box={box}
              value={text}
              onChange={type}
              found={find === '' || found.isFetching ? undefined : locations}
            />
            <QueryView
              query={found}
              empty={
                <EmptyState
                  title={t.nothing}
                  actions={<Button onClick={() => keep('find', '')}>{t.clear}</Button>}
                >
                  {t.nothingText}
                </EmptyState>
              }
            >
              {(rows) => (
                <LocationsTable
                  rows={rows}
                  whole={total.count}
                  onToggle={(region) => keep('open', toggleRegion(search.open, region))}
                  onRetry={retry}
                />
              )}
            </QueryView>
          </>
        )}
      </QueryView>
    </Page>
  )
}

function NoLocations() {
  const t = useMessages().locations
  const { allowed } = usePermission('createCloudAccount')
  const attach = (
    <Link to="/accounts/new" className={buttonClass('primary')}>
      {t.attach}
    </Link>
  )
  return (
    <EmptyState title={t.empty} actions={allowed ? attach : undefined}>
      {t.emptyText}
    </EmptyState>
  )
}

interface LocationSearchProps {
  readonly box: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly onChange: (text: string) => void
  /** The number of matching locations; undefined without a search. */
  readonly found: number | undefined
}

const longest = 100

/** The search field of the locations page. */
function LocationSearch({ box, value, onChange, found }: LocationSearchProps) {
  const t = useMessages().locations
  const { number } = useFormat()
  const id = useId()
  return (
    <div className={styles.finder}>
      <label htmlFor={id} className="visuallyHidden">
        {t.find}
      </label>
      <input
        ref={box}
        data-find
        id={id}
        type="search"
        className={`${field.input} ${styles.input}`}
        placeholder={t.find}
        autoComplete="off"
        spellCheck={false}
        maxLength={longest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span role="status" className={styles.found}>
        {found !== undefined && t.found(found, number(found))}
      </span>
    </div>
  )
}
