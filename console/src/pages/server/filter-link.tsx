import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { renderTerm } from '../../filter/terms.ts'
import { ProviderMark } from '../../servers/provider-mark.tsx'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './filter-link.module.css'

interface Props {
  /** The filter key of the field. */
  readonly name: string
  readonly value: string
  readonly children?: ReactNode
}

/** A value, and a link to all servers with it. */
export function FilterLink({ name, value, children }: Props) {
  const names = useValueNames()
  return (
    <QueryLink q={renderTerm(name, [value])}>
      {name === 'provider' && <ProviderMark provider={value} />}
      {children || <bdi>{names.name(name, value)}</bdi>}
    </QueryLink>
  )
}

/** The icon appears when the pointer or the focus is at the value. */
export function QueryLink({ q, children }: { readonly q: string; readonly children: ReactNode }) {
  const t = useMessages()
  const label = t.server.filterBy(q)
  return (
    <span className={styles.value}>
      {children}
      <Link
        to="/servers"
        search={{ q }}
        preload={false}
        className={styles.link}
        aria-label={label}
        title={label}
      >
        <Icon name="filter" size={13} />
      </Link>
    </span>
  )
}
