import { isApiError } from '@muster/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { resourceQuery } from '../../api/queries/resources.ts'
import { isInventoryKind, type InventoryKind } from '../../inventory/kinds.ts'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { textOf, type ResourceRow } from '../../inventory/resource-row.ts'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonProperties } from '../../ui/skeleton.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import styles from './resource-page.module.css'
import { ResourceValue } from './resource-value.tsx'
import { isServerCount, parentOf, resources, serversQ, shownFields } from './resources.ts'

/** A host, network, region, zone or manager. */
export function ResourcePage() {
  const { kind, id } = useParams({ strict: false })
  if (!isInventoryKind(kind) || id === undefined) return <NotFoundPage />
  return <ResourceView key={`${kind} ${id}`} kind={kind} id={id} />
}

interface Props {
  readonly kind: InventoryKind
  readonly id: string
}

function ResourceView({ kind, id }: Props) {
  const t = useMessages().infrastructure
  const asOf = useAsOf()
  const query = useQuery(resourceQuery(resources[kind], id, asOf))
  return (
    <Page
      title={query.data ? textOf(query.data, 'name') || id : t.one[kind]}
      lead={
        <Link to="/infrastructure/$kind" params={{ kind }}>
          <span aria-hidden="true">← </span>
          {t.kinds[kind]}
        </Link>
      }
      aside={query.data && <ServersButton kind={kind} row={query.data} />}
    >
      <PastNotice />
      <QueryView
        query={query}
        skeleton={<SkeletonProperties />}
        failure={(error) =>
          isApiError(error) && error.status === 404 && <ResourceNotFound kind={kind} />
        }
      >
        {(row) => <Properties kind={kind} row={row} />}
      </QueryView>
    </Page>
  )
}

interface RowProps {
  readonly kind: InventoryKind
  readonly row: ResourceRow
}

/** Leads to the servers of the item. */
function ServersButton({ kind, row }: RowProps) {
  const t = useMessages().infrastructure
  const { number } = useFormat()
  const parent = parentOf(kind, row)
  if (parent !== undefined) {
    return (
      <Link to="/servers/$id" params={{ id: parent }} className={buttonClass('primary')}>
        {t.showServers(1, number(1))}
      </Link>
    )
  }
  const field = Object.keys(row).find(isServerCount)
  const count = Number(field && row[field])
  if (count === 0) return t.noServers
  return (
    <Link to="/servers" search={{ q: serversQ(kind, row) }} className={buttonClass('primary')}>
      {t.showServers(count, number(count))}
    </Link>
  )
}

const copied = new Set(['id', 'external_id', 'sn', 'access_ip'])

/** The fields that the API returned: without a system role, those of a host are few. */
function Properties({ kind, row }: RowProps) {
  const t = useMessages().infrastructure
  return (
    <div className={styles.properties}>
      <PropertyList>
        {shownFields(resources[kind], row).map((field) => (
          <Property key={field} label={t.fields[field] ?? field}>
            {copied.has(field) && textOf(row, field) !== '' ? (
              <Copyable value={textOf(row, field)} />
            ) : (
              <ResourceValue kind={kind} field={field} row={row} />
            )}
          </Property>
        ))}
      </PropertyList>
    </div>
  )
}

function ResourceNotFound({ kind }: Pick<Props, 'kind'>) {
  const t = useMessages().infrastructure
  return (
    <EmptyState
      title={t.notFound(kind)}
      actions={
        <Link to="/infrastructure/$kind" params={{ kind }} className={buttonClass('primary')}>
          {t.toAll(kind)}
        </Link>
      }
    >
      {t.notFoundText}
    </EmptyState>
  )
}
