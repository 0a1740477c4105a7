import type { ReactNode } from 'react'
import type { InventoryKind } from '../../inventory/kinds.ts'
import { ResourceLink } from '../../inventory/resource-link.tsx'
import { useValueNames } from '../../servers/value-names.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property } from '../../ui/property-list.tsx'
import { MissingValue } from './missing-value.tsx'
import { FilterLink } from './filter-link.tsx'
import { Highlight } from '../../ui/highlight.tsx'

interface Props {
  readonly label: string
  /** The API's value; empty if there is none. */
  readonly value: string
  /** What an empty value means. */
  readonly absent?: 'none' | 'unknown'
  /** Shown instead of the value. */
  readonly shown?: ReactNode
  /** The filter key, for an icon that leads to all servers with this value. */
  readonly filter?: string
  /** The page of what the value names, unless the id is empty. */
  readonly page?: { readonly kind: InventoryKind; readonly id: string }
  /** A click copies the value. */
  readonly copies?: boolean
}

/** A property of a server, highlighted when it changes. */
export function ServerProperty(props: Props) {
  const { label, value, absent = 'none', shown, filter, page, copies } = props
  const names = useValueNames()
  const text = shown ?? <bdi>{filter === undefined ? value : names.name(filter, value)}</bdi>
  const linked =
    page === undefined || page.id === '' ? text : <ResourceLink {...page}>{text}</ResourceLink>
  return (
    <Property label={label}>
      <Highlight value={value}>
        {value === '' ? (
          <MissingValue is={absent} />
        ) : copies ? (
          <Copyable value={value}>{text}</Copyable>
        ) : filter === undefined ? (
          linked
        ) : (
          <FilterLink name={filter} value={value}>
            {linked}
          </FilterLink>
        )}
      </Highlight>
    </Property>
  )
}

interface MomentProps {
  readonly label: string
  readonly time: string | null
  readonly children: ReactNode
}

/** A timestamp property. */
export function TimeProperty({ label, time, children }: MomentProps) {
  return <ServerProperty label={label} value={time ?? ''} shown={children} />
}
