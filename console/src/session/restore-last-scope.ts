import type { SessionDto } from '@muster/contract'
import { rememberedScope } from './remembered-scope.ts'
import type { SessionScope } from './session-scope.ts'
import { switchScope } from './switch-scope.ts'

const isAt = ({ scope }: SessionDto, wanted: SessionScope) =>
  'project_id' in wanted
    ? scope.kind === 'project' && scope.id === wanted.project_id
    : scope.kind === 'domain' && scope.id === wanted.domain_id

const offers = ({ projects, domains }: SessionDto, wanted: SessionScope) =>
  'project_id' in wanted
    ? projects.some(({ id }) => id === wanted.project_id)
    : domains.some(({ id }) => id === wanted.domain_id)

/** After a login: where the user was last, as long as that is still to be had. */
export async function restoreLastScope(session: SessionDto): Promise<void> {
  const last = rememberedScope(session.user.id)
  if (last && !isAt(session, last) && offers(session, last)) await switchScope(last)
}
