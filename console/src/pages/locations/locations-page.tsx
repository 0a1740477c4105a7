import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { openIn, toggleRegion } from './open-regions.ts'
import { LocationSearch } from './location-search.tsx'
import { LocationsTable } from './locations-table.tsx'
import { useLocations } from './use-locations.ts'

/** Where servers are, from provider to zone. */
export function LocationsPage() {
  const t = useMessages().locations
  const { allowed, reason } = usePermission('getServerStatistics')
  if (allowed) return <Locations />
  return (
    <Page title={t.title}>
      <EmptyState title={t.notAllowed}>{reason}</EmptyState>
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
        data && (
          <>
            <span>{t.count(number(providers), number(regions))}</span>
            <ScopeLabel operation="getServerStatistics" />
          </>
        )
      }
    >
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
