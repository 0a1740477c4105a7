import { badField, PlatformError } from '../../error.ts'
import { nameKey } from '../../name-key.ts'
import type { AuthorizedScope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { homeOf } from './home.ts'
import type { Registry } from './registry.ts'
import { nounOf, type ResourceKind, type Resources } from './resources.ts'

/** Steps that creating and changing any kind of resource have in common. */

/** A text that a client sets to null is an empty one. */
export const nullToEmpty = (text: string | null | undefined): string | undefined =>
  text === null ? '' : text

export const notFound = (kind: ResourceKind) =>
  new PlatformError(
    'ResourceNotFoundError',
    `The ${nounOf[kind].replace('_', ' ')} does not exist, or you do not have access to it.`,
  )

/** The resource, if it is within the caller's scope; for whom it is not, it does not exist. */
export async function requireResource<K extends ResourceKind>(
  registry: Registry,
  kind: K,
  id: string,
  authorizedScope: AuthorizedScope,
): Promise<Resources[K]> {
  const resource = await registry.find(kind, id, authorizedScope)
  if (!resource) throw notFound(kind)
  return resource
}

/** A resource that a body refers to: one out of the caller's scope is as good as none. */
export async function requireReference<K extends ResourceKind>(
  registry: Registry,
  kind: K,
  id: string,
  authorizedScope: AuthorizedScope,
  field: string,
): Promise<Resources[K]> {
  const resource = await registry.find(kind, id, authorizedScope)
  if (!resource)
    throw badField(
      field,
      `does not refer to a ${nounOf[kind].replace('_', ' ')} that you can use here`,
    )
  return resource
}

/** Throws where the name is somebody else's, however either is spelled. */
export async function requireFreeName(
  registry: Registry,
  kind: ResourceKind,
  name: string,
  domainId?: string,
): Promise<void> {
  if (!(await registry.isNameTaken(kind, name, domainId))) return
  const noun = nounOf[kind]
  const where = domainId === undefined ? '' : ' in its domain'
  throw new PlatformError(
    'DuplicateNameError',
    `A ${noun.replace('_', ' ')} with this name already exists${where}.`,
    { fields: [{ path: `${noun}.name`, problem: 'is already in use' }] },
  )
}

/** The same for a change of name; another spelling of the same name is free. */
export async function requireFreeRename(
  registry: Registry,
  kind: ResourceKind,
  before: { readonly name: string; readonly domain_id?: string },
  name: string | undefined,
): Promise<void> {
  if (name === undefined || nameKey(name) === nameKey(before.name)) return
  await requireFreeName(registry, kind, name, before.domain_id)
}

/** Where something new goes: where the caller says, or else the domain the caller is in. */
export async function chooseDomain(
  registry: Registry,
  { principal, authorizedScope }: Caller,
  wish: string | undefined,
  field: string,
): Promise<string> {
  const domainId = wish ?? homeOf(principal)
  const domain = await requireReference(registry, 'domains', domainId, authorizedScope, field)
  return domain.id
}
