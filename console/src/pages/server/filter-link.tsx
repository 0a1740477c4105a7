import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { renderTerm } from '../../filter/terms.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'

interface Props {
  /** The filter key of the field. */
  readonly name: string
  readonly value: string
  readonly children?: ReactNode
}

/** A value that links to all servers with it. */
export function FilterLink({ name, value, children }: Props) {
  const names = useValueNames()
  return (
    <QueryLink q={renderTerm(name, [value])}>
      {children ?? <bdi>{names.name(name, value)}</bdi>}
    </QueryLink>
  )
}

export function QueryLink({ q, children }: { readonly q: string; readonly children: ReactNode }) {
  const t = useMessages()
  return (
    <Link to="/servers" search={{ q }} preload={false} title={t.server.filterBy(q)}>
      {children}
    </Link>
  )
}
