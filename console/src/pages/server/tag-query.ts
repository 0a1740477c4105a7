import { renderTerm } from '../../filter/terms.ts'
import { tagTerm, type Tag, type TagOrigin } from '../../servers/tags.ts'

/** It is put in when a server is shown: no query finds it. */
const agesKey = 'synced_at'

/** The query for servers with this tag; none for a key that no query can name. */
export function tagQuery(origin: TagOrigin, tag: Tag): string | undefined {
  const term = tagTerm(origin, tag)
  if (term === undefined || (origin === 'notes' && tag.key === agesKey)) return undefined
  return renderTerm('tag', [term])
}
