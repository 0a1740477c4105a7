import type { ReactNode } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { QueryLink } from './filter-link.tsx'
import { Flash } from './flash.tsx'
import { tagQuery } from './tag-query.ts'
import type { Tag, TagOrigin } from '../../servers/tags.ts'
import styles from './tags.module.css'

interface Props {
  readonly tag: Tag
  readonly origin: TagOrigin
  readonly actions?: ReactNode
}

/** A tag: its key leads to all servers that have it so, its value is copied by a click. */
export function TagRow({ tag, origin, actions }: Props) {
  const { server: t } = useMessages()
  const { key, value } = tag
  const q = tagQuery(origin, tag)
  return (
    <div className={styles.row}>
      <span className={styles.key}>
        {q === undefined ? (
          <bdi>{key}</bdi>
        ) : (
          <QueryLink q={q}>
            <bdi>{key}</bdi>
          </QueryLink>
        )}
      </span>
      <Flash of={value}>
        {value === '' ? (
          <span className={styles.empty}>{t.emptyValue}</span>
        ) : (
          <Copyable value={value}>
            <bdi>{value}</bdi>
          </Copyable>
        )}
      </Flash>
      {actions !== undefined && <span className={styles.actions}>{actions}</span>}
    </div>
  )
}
