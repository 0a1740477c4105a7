import type { EventDto } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'

/** How the API names the account that showed a change. */
const account = /^account (.+)$/s

/** Who did something: a person or a program, the account that showed it, or Muster itself. */
export function EventAuthor({ event }: { readonly event: EventDto }) {
  const { server: t } = useMessages()
  const { user, user_id: id } = event
  const [, source] = (id === '' && account.exec(user)) || []
  return <bdi>{source === undefined ? user || t.byMuster : t.seenAt(source)}</bdi>
}
