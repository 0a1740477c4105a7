import { PlatformError } from '../../error.ts'
import { nameKey } from '../../name-key.ts'

const defaultDomain = 'default'
const systemProject = 'system'

/** What somebody wants to do to a domain or a project; deleting it changes all of it. */
type Wish = { readonly name?: string; readonly enabled?: boolean } | 'delete'

const refuse = (what: string, change: string) =>
  new PlatformError(
    'ConflictError',
    `The ${what} cannot be ${change}: the first administrator logs in there.`,
  )

function requireKept(what: string, { enabled }: { readonly enabled: boolean }, wish: Wish): void {
  if (wish === 'delete') throw refuse(what, 'deleted')
  if (enabled && wish.enabled === false) throw refuse(what, 'disabled')
}

/** The default domain stays: without it nobody administers the platform. */
export function requireNotDefaultDomain(
  domain: { readonly id: string; readonly enabled: boolean },
  wish: Wish,
): void {
  if (domain.id === defaultDomain) requireKept('default domain', domain, wish)
}

/** So does the project "system". It is known by its name, as logins name it, so that stays too. */
export function requireNotSystemProject(
  project: { readonly domain_id: string; readonly name: string; readonly enabled: boolean },
  wish: Wish,
): void {
  if (project.domain_id !== defaultDomain || nameKey(project.name) !== systemProject) return
  requireKept('project "system"', project, wish)
  if (wish === 'delete' || wish.name === undefined) return
  if (nameKey(wish.name) !== systemProject) throw refuse('project "system"', 'renamed')
}
