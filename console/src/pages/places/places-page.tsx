import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { NotUpdated } from '../../charts/not-updated.tsx'
import { useTypedText } from '../../form/use-typed-text.ts'
import { useMay } from '../../session/use-may.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { openIn, turnRegion } from './open-places.ts'
import { PlaceFinder } from './place-finder.tsx'
import { PlacesTable } from './places-table.tsx'
import { usePlaces } from './use-places.ts'

/** Where servers are, from provider to zone. */
export function PlacesPage() {
  const t = useMessages().places
  const { allowed, reason } = useMay('getServerStatistics')
  if (allowed) return <Places />
  return (
    <Page title={t.title}>
      <EmptyState title={t.notAllowed}>{reason}</EmptyState>
    </Page>
  )
}

function Places() {
  const t = useMessages().places
  const { number } = useFormat()
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const find = (search.find ?? '').trim()
  const { whole, rows, regions, isFinding, error, retry } = usePlaces(openIn(search.open), find)

  const keep = (key: 'find' | 'open', value: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [key]: value }),
      replace: true,
      resetScroll: false,
    })
  const { box, text, type } = useTypedText(find, (next) => keep('find', next.trim()))

  const { data } = whole
  const places = rows.filter(({ kind }) => kind === 'place').length
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
        <NotUpdated since={whole.dataUpdatedAt} onRetry={() => void whole.refetch()} />
      )}
      {data?.total.count === 0 && <NoPlaces />}
      {data && data.total.count > 0 && (
        <>
          <PlaceFinder
            box={box}
            value={text}
            onChange={type}
            found={find === '' ? undefined : places}
          />
          {error && <ErrorNotice error={error} onRetry={retry} />}
          {rows.length > 0 && (
            <PlacesTable
              rows={rows}
              whole={data.total.count}
              onTurn={(region) => keep('open', turnRegion(search.open, region))}
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

function NoPlaces() {
  const t = useMessages().places
  const { allowed } = useMay('createCloudAccount')
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
