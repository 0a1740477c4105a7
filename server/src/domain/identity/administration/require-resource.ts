import { administeredResources, storedFields } from '@muster/contract'
import { badField, PlatformError } from '../../error.ts'
import { nameKey } from '../../name-key.ts'
import type { AuthorizedScope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { domainIdOf } from '../principal.ts'
import { all, type Registry } from './registry.ts'
import { nounOf, type ResourceKind, type Resources } from './resources.ts'

/** Steps that creating and changing any kind of resource have in common. */

export const notFound = (kind: ResourceKind) =>
  new PlatformError(
    'ResourceNotFoundError',
    `The ${nounOf(kind).replace('_', ' ')} does not exist, or you do not have access to it.`,
  )

/** The id of the domain or the project in a field of a resource. */
export const ownerIn = (resource: object, field: string): string | undefined =>
  (resource as Readonly<Record<string, string | undefined>>)[field]

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
      `does not refer to a ${nounOf(kind).replace('_', ' ')} that you can use here`,
    )
  return resource
}

/** Throws where the name is taken, in whatever spelling. */
export async function requireFreeName<K extends ResourceKind>(
  registry: Registry,
  kind: K,
  resource: Resources[K],
): Promise<void> {
  const { uniqueName, key } = administeredResources[kind]
  if (uniqueName === 'nowhere') return
  const owner = uniqueName === 'everywhere' ? undefined : ownerIn(resource, uniqueName)
  if (!(await registry.isNameTaken(kind, resource.name, owner))) return
  const where = owner === undefined ? '' : ` in its ${uniqueName.replace('_id', '')}`
  throw new PlatformError(
    'DuplicateNameError',
    `A ${key.replace('_', ' ')} with this name already exists${where}.`,
    { fields: [{ path: `${key}.name`, problem: 'is already in use' }] },
  )
}

/** The same for a rename; another spelling of the same name is allowed. */
export async function requireFreeRename<K extends ResourceKind>(
  registry: Registry,
  kind: K,
  before: Resources[K],
  after: Resources[K],
): Promise<void> {
  if (nameKey(after.name) !== nameKey(before.name)) await requireFreeName(registry, kind, after)
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

/** The same for the project. */
async function chooseProject(
  registry: Registry,
  { principal: { scope }, authorizedScope }: Caller,
  input: string | undefined,
  field: string,
): Promise<string> {
  const projectId = input ?? (scope.kind === 'project' ? scope.project.id : undefined)
  if (projectId === undefined) {
    throw badField(field, 'is required: your token is for no project', 'MissingParameterError')
  }
  const project = await requireReference(registry, 'projects', projectId, authorizedScope, field)
  return project.id
}

/** The domain or the project of a new resource, if it belongs to one. */
export const chooseOwner =
  <K extends ResourceKind>(registry: Registry, kind: K) =>
  async (caller: Caller, input: object): Promise<Partial<Resources[K]>> => {
    const resource = administeredResources[kind]
    const { key } = resource
    const stored = new Map(storedFields(resource))
    const { domain_id, project_id } = input as { domain_id?: string; project_id?: string }
    return {
      ...(stored.has('domain_id') && {
        domain_id: await chooseDomain(registry, caller, domain_id, `${key}.domain_id`),
      }),
      ...(stored.has('project_id') && {
        project_id: await chooseProject(registry, caller, project_id, `${key}.project_id`),
      }),
    } as unknown as Partial<Resources[K]>
  }
