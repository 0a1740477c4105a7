import { renderTerm } from '../../filter/terms.ts'
import { tagTerm, type Tag, type TagOrigin } from '../../servers/tags.ts'

/** Computed when a server is rendered, so no query finds it. */
const agesKey = 'synced_at'

/** The query for servers with this tag; undefined if the key cannot be queried. */
export function tagQuery(origin: TagOrigin, tag: Tag): string | undefined {
  const term = tagTerm(origin, tag)
  if (term === undefined || (origin === 'notes' && tag.key === agesKey)) return undefined
  return renderTerm('tag', [term])
}
