import type { Server } from '@muster/contract'
import type { ReactNode } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { OwnTags } from './own-tags.tsx'
import { TagRow } from './tag-row.tsx'
import { prefixes, tagsOf, type TagOrigin } from '../../servers/tags.ts'
import styles from './tags.module.css'

export function TagsTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  return (
    <div className={styles.origins}>
      <Origin title={t.ownTags} prefix={prefixes.own} lead={t.ownTagsText}>
        <OwnTags server={server} />
      </Origin>
      <Origin title={t.sourceTags} prefix={prefixes.source} lead={t.sourceTagsText}>
        <ReadOnlyTags server={server} origin="source" none={t.noSourceTags} />
      </Origin>
      <Origin title={t.notes} prefix={prefixes.notes} lead={t.notesText}>
        <ReadOnlyTags server={server} origin="notes" none={t.noNotes} />
      </Origin>
    </div>
  )
}

interface OriginProps {
  readonly title: string
  readonly prefix: string
  readonly lead: string
  readonly children: ReactNode
}

function Origin({ title, prefix, lead, children }: OriginProps) {
  return (
    <section className={styles.origin}>
      <h2>
        {title} <code>{prefix}</code>
      </h2>
      <p className={styles.lead}>{lead}</p>
      {children}
    </section>
  )
}

interface ReadOnlyProps {
  readonly server: Server
  readonly origin: TagOrigin
  readonly none: string
}

function ReadOnlyTags({ server, origin, none }: ReadOnlyProps) {
  const tags = tagsOf(server.metadata, origin)
  if (tags.length === 0) return <p className={styles.empty}>{none}</p>
  return (
    <ul className={styles.list}>
      {tags.map((tag) => (
        <li key={tag.key}>
          <TagRow tag={tag} origin={origin} />
        </li>
      ))}
    </ul>
  )
}
