import type { ReactNode } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { QueryLink } from './filter-link.tsx'
import { Highlight } from '../../ui/highlight.tsx'
import { tagQuery } from './tag-query.ts'
import type { Tag, TagOrigin } from '../../servers/tags.ts'
import styles from './tags.module.css'

interface Props {
  readonly tag: Tag
  readonly origin: TagOrigin
  readonly actions?: ReactNode
}

/** A tag. The key links to servers with it; a click on the value copies it. */
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
      <Highlight value={value}>
        {value === '' ? (
          <span className={styles.empty}>{t.emptyValue}</span>
        ) : (
          <Copyable value={value}>
            <bdi>{value}</bdi>
          </Copyable>
        )}
      </Highlight>
      {actions !== undefined && <span className={styles.actions}>{actions}</span>}
    </div>
  )
}
