import type { Impact } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { nameKey } from '../../name-key.ts'

const defaultDomain = 'default'
const systemProject = 'system'

/** The requested change of a domain or a project. */
type Input = { readonly name?: string; readonly enabled?: boolean } | 'delete'

const refuse = (what: string, change: string) =>
  new PlatformError(
    'ConflictError',
    `The ${what} cannot be ${change}: the first administrator logs in there.`,
  )

function requireNotDeletedOrDisabled(
  what: string,
  { enabled }: { readonly enabled: boolean },
  input: Input,
): void {
  if (input === 'delete') throw refuse(what, 'deleted')
  if (enabled && input.enabled === false) throw refuse(what, 'disabled')
}

/** The default domain cannot be deleted or disabled: the first administrator logs in there. */
export function requireNotDefaultDomain(
  domain: { readonly id: string; readonly enabled: boolean },
  input: Input,
): void {
  if (domain.id === defaultDomain) requireNotDeletedOrDisabled('default domain', domain, input)
}

/** Neither can the project "system". Logins refer to it by name, so it cannot be renamed either. */
export function requireNotSystemProject(
  project: { readonly domain_id: string; readonly name: string; readonly enabled: boolean },
  input: Input,
): void {
  if (project.domain_id !== defaultDomain || nameKey(project.name) !== systemProject) return
  requireNotDeletedOrDisabled('project "system"', project, input)
  if (input === 'delete' || input.name === undefined) return
  if (nameKey(input.name) !== systemProject) throw refuse('project "system"', 'renamed')
}

/** Every server belongs to a project, so a project or domain with servers cannot be deleted. */
export function requireNoServers(noun: 'project' | 'domain', { servers }: Impact): void {
  if (servers === 0) return
  const some = servers === 1 ? '1 server' : `${servers} servers`
  throw new PlatformError(
    'ConflictError',
    `The ${noun} still has ${some}, including those in the recycle bin. Move or delete them first.`,
  )
}
