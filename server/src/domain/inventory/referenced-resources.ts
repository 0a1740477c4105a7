import { defaultValues, type Resource, type Server } from '@muster/contract'
import { referencedKinds, referenceTo, resourceOf, type ReferencedKind } from './kinds.ts'
import type { ResourceObject } from './resource-finder.ts'

/** The fields of a server that say something about the resources that it refers to. */
type ReferringServer = Partial<Omit<Server, 'name' | 'status'>>

/** The fields of each kind that servers know, with those of the server. */
const knownByServers = Object.fromEntries(
  referencedKinds.map((kind) => [
    kind,
    Object.entries(resourceOf(kind).fields).flatMap(([name, { fromServer }]) =>
      fromServer === undefined ? [] : [[name, fromServer as keyof ReferringServer] as const],
    ),
  ]),
) as Record<ReferencedKind, (readonly [name: string, ofServer: keyof ReferringServer])[]>

/** Fields that a resource has and whose values are known. */
const knownFields = ({ fields }: Resource, values: object) =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== undefined && Object.hasOwn(fields, name),
    ),
  )

/**
 * Characters of an id or a name. Both have an index, and PostgreSQL refuses entries above a third of a page.
 * Sources take them from tenants, who could stop the sync of an account with a longer one.
 */
export const maxIndexedLength = 512

/** A resource with default values for the fields that are not known. Without a name, the id is shown. */
export function toResource(kind: ReferencedKind, id: string, values: object): ResourceObject {
  const resource = resourceOf(kind)
  const object: Record<string, unknown> & { id: string } = {
    ...defaultValues(resource),
    ...knownFields(resource, values),
    id,
  }
  const { name } = object
  const shown = typeof name === 'string' && name !== '' ? name : id
  return { ...object, name: shown.slice(0, maxIndexedLength).toWellFormed() }
}

type ReferringField = ReturnType<typeof referenceTo<ReferencedKind>>['field']

/** The kinds whose ids servers have in a field. */
const idFields = referencedKinds.flatMap((kind) => {
  const { field } = referenceTo(kind)
  return field === 'nics' ? [] : [{ kind, field }]
})

/** Calls back with each resource that a server refers to. */
export function eachReference(
  server: Omit<Pick<ReferringServer, ReferringField>, 'nics'> & {
    readonly nics?: readonly { readonly network_id?: string }[]
  },
  found: (kind: ReferencedKind, id: string) => void,
): void {
  for (const { kind, field } of idFields) {
    const id = server[field]
    if (id && id.length <= maxIndexedLength) found(kind, id)
  }
  if (server.nics)
    for (const { network_id } of server.nics) if (network_id) found('networks', network_id)
}

/** What a server says about a resource that it refers to. */
export function describeReferenced(
  kind: ReferencedKind,
  id: string,
  server: ReferringServer,
): object {
  const values = knownByServers[kind]
    .map(([name, ofServer]) => [name, server[ofServer]] as const)
    .filter(([, value]) => value !== undefined && value !== '')
  const nic = kind === 'networks' && server.nics?.find(({ network_id }) => network_id === id)
  return { ...Object.fromEntries(values), ...(nic && { vpc_id: nic.vpc_id }) }
}
