import type { ReactNode } from 'react'
import { useValueNames } from '../../servers/value-names.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property } from '../../ui/property-list.tsx'
import { MissingValue } from './missing-value.tsx'
import { FilterLink } from './filter-link.tsx'
import { Flash } from './flash.tsx'

interface Props {
  readonly label: string
  /** As the API has it; an empty text where there is none. */
  readonly value: string
  /** What an empty text means. */
  readonly absent?: 'none' | 'unknown'
  /** Where it is shown in other words than the API's. */
  readonly shown?: ReactNode
  /** It leads to all servers with this value: what the field is called in a query. */
  readonly filter?: string
  /** It is an id, an address or the like, and is copied by a click. */
  readonly copies?: boolean
}

/** A fact about a server, which lights up when it changes. */
export function ServerProperty({ label, value, absent = 'none', shown, filter, copies }: Props) {
  const names = useValueNames()
  const text = shown ?? <bdi>{filter === undefined ? value : names.name(filter, value)}</bdi>
  return (
    <Property label={label}>
      <Flash of={value}>
        {value === '' ? (
          <MissingValue is={absent} />
        ) : copies ? (
          <Copyable value={value}>{text}</Copyable>
        ) : filter !== undefined ? (
          <FilterLink name={filter} value={value}>
            {text}
          </FilterLink>
        ) : (
          text
        )}
      </Flash>
    </Property>
  )
}

interface MomentProps {
  readonly label: string
  readonly time: string | null
  readonly children: ReactNode
}

/** A moment; what never came is none. */
export function TimeProperty({ label, time, children }: MomentProps) {
  return <ServerProperty label={label} value={time ?? ''} shown={children} />
}
