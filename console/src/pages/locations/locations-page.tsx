import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { StaleNotice } from '../../charts/stale-notice.tsx'
import { useDebouncedInput } from '../../form/use-debounced-input.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
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
  const { whole, rows, regions, isFinding, error, retry } = useLocations(openIn(search.open), find)

  const keep = (key: 'find' | 'open', value: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [key]: value }),
      replace: true,
      resetScroll: false,
    })
  const { box, text, type } = useDebouncedInput(find, (next) => keep('find', next.trim()))

  const { data } = whole
  const locations = rows.filter(({ kind }) => kind === 'location').length
  const providers = data?.groups['provider']?.length ?? 0
  return (
    <Page
      title={t.title}
      lead={t.lead}
      aside={data && <span>{t.count(number(providers), number(regions))}</span>}
    >
      {whole.isPending && <SkeletonRows rows={12} />}
      {whole.error && !data && (
        <ErrorNotice error={whole.error} onRetry={() => void whole.refetch()} />
      )}
      {whole.error && data && (
        <StaleNotice since={whole.dataUpdatedAt} onRetry={() => void whole.refetch()} />
      )}
      {data?.total.count === 0 && <NoLocations />}
      {data && data.total.count > 0 && (
        <>
          <LocationSearch
            box={box}
            value={text}
            onChange={type}
            found={find === '' ? undefined : locations}
          />
          {error && <ErrorNotice error={error} onRetry={retry} />}
          {rows.length > 0 && (
            <LocationsTable
              rows={rows}
              whole={data.total.count}
              onToggle={(region) => keep('open', toggleRegion(search.open, region))}
              onRetry={retry}
            />
          )}
          {rows.length === 0 && isFinding && <SkeletonRows rows={3} />}
          {rows.length === 0 && !isFinding && !error && (
            <EmptyState
              title={t.nothing}
              actions={<Button onClick={() => keep('find', '')}>{t.clear}</Button>}
            >
              {t.nothingText}
            </EmptyState>
          )}
        </>
      )}
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
