import { badField, PlatformError } from '../../error.ts'
import { nameKey } from '../../name-key.ts'
import type { AuthorizedScope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { domainIdOf } from '../principal.ts'
import { all, type Registry } from './registry.ts'
import { nounOf, type ResourceKind, type Resources } from './resources.ts'

/** Steps that creating and changing any kind of resource have in common. */

/** Clients may send null for an empty text. */
export const nullToEmpty = (text: string | null | undefined): string | undefined =>
  text === null ? '' : text

export const notFound = (kind: ResourceKind) =>
  new PlatformError(
    'ResourceNotFoundError',
    `The ${nounOf[kind].replace('_', ' ')} does not exist, or you do not have access to it.`,
  )

/** Throws a 404 for what does not exist or lies outside of the caller's scope. */
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

/** A name of this form is never looked up, so that it cannot stand for a deleted resource with this id. */
const idForm = /^[0-9a-f]{32}$/
const maxNamesakes = 20

/**
 * The id that a request means by an id or a name. A name must be unique within the caller's scope. What
 * follows checks the id as if the request had sent it.
 */
export async function resolveId(
  registry: Registry,
  kind: ResourceKind,
  idOrName: string,
  authorizedScope: AuthorizedScope,
  domainId?: string,
): Promise<string> {
  if (idForm.test(idOrName)) return idOrName
  const byId = await registry.find(kind, idOrName, authorizedScope)
  if (byId) return byId.id
  // Resources without a name, such as access keys, are stored with an empty one.
  if (nameKey(idOrName) === '') throw notFound(kind)
  const { items, total } = await registry.list(kind, authorizedScope, {
    ...all({ name: idOrName, ...(domainId !== undefined && { domain_id: domainId }) }),
    limit: maxNamesakes,
  })
  const [only] = items
  if (!only) throw notFound(kind)
  if (total > 1) throw ambiguous(kind, items, total)
  return only.id
}

const ambiguous = (kind: ResourceKind, items: readonly { readonly id: string }[], total: number) =>
  new PlatformError(
    'ConflictError',
    `Several ${kind.replace('_', ' ')} have this name: ${items.map(({ id }) => id).join(', ')}${total > items.length ? ' and others' : ''}. Use an id.`,
  )

/** Throws a 400 where a field of the body refers to nothing within the caller's scope. */
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

/** Throws where the name is taken, in whatever spelling. */
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

/** The same for a rename; another spelling of the same name is allowed. */
export async function requireFreeRename(
  registry: Registry,
  kind: ResourceKind,
  before: { readonly name: string; readonly domain_id?: string },
  name: string | undefined,
): Promise<void> {
  if (name === undefined || nameKey(name) === nameKey(before.name)) return
  await requireFreeName(registry, kind, name, before.domain_id)
}

/** The domain of a new resource: the requested one, or else the caller's. */
export async function chooseDomain(
  registry: Registry,
  { principal, authorizedScope }: Caller,
  input: string | undefined,
  field: string,
): Promise<string> {
  const domainId = input ?? domainIdOf(principal)
  const domain = await requireReference(registry, 'domains', domainId, authorizedScope, field)
  return domain.id
}
