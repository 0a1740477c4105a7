import type { SessionView } from '@muster/contract'
import { rememberedScope } from './remembered-scope.ts'
import type { Place } from './place.ts'
import { switchScope } from './switch-scope.ts'

const isAt = ({ scope }: SessionView, place: Place) =>
  'project_id' in place
    ? scope.kind === 'project' && scope.id === place.project_id
    : scope.kind === 'domain' && scope.id === place.domain_id

const offers = ({ projects, domains }: SessionView, place: Place) =>
  'project_id' in place
    ? projects.some(({ id }) => id === place.project_id)
    : domains.some(({ id }) => id === place.domain_id)

/** After a login: where the user was last, as long as that is still to be had. */
export async function returnToLastScope(session: SessionView): Promise<void> {
  const last = rememberedScope(session.user.id)
  if (last && !isAt(session, last) && offers(session, last)) await switchScope(last)
}
