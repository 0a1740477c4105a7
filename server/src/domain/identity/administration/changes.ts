import { isDeepStrictEqual } from 'node:util'
import { badField, PlatformError } from '../../error.ts'
import type { Changes } from '../../audit/event.ts'
import { nameKey } from '../../name-key.ts'
import type { AuthorizedScope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { homeOf } from './home.ts'
import type { Registry } from './registry.ts'
import { nounOf, type Kind, type Resources } from './resources.ts'

/** Steps that creating and changing any kind of thing have in common. */

/** What is asked for, without what was left unsaid: leaving out is not setting to nothing. */
export const said = <Wish extends object>(wish: Wish) =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) as Partial<{
    [Key in keyof Wish]: Exclude<Wish[Key], undefined>
  }>

/** A text that a client sets to null is an empty one. */
export const orEmpty = (text: string | null | undefined): string | undefined =>
  text === null ? '' : text

/** Only what would be different, before and after. */
export function differences(before: object, wish: object): Changes {
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(wish)
      .filter(([key, value]) => !isDeepStrictEqual(old[key], value))
      .map(([key, value]) => [key, [old[key] ?? null, value] as [unknown, unknown]]),
  )
}

/** A thing that was not there before: all of it is new. */
export const everythingOf = (row: object): Changes =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => key !== 'id' && key !== 'created_at')
      .map(([key, value]) => [key, [null, value] as [unknown, unknown]]),
  )

/** Stands in the log for what must not be there. */
export const hidden: [unknown, unknown] = ['(hidden)', '(hidden)']

export const notThere = (kind: Kind) =>
  new PlatformError('ResourceNotFoundError', `There is no such ${nounOf[kind].replace('_', ' ')}.`)

/** The thing, if it is within the caller's scope; for whom it is not, it does not exist. */
export async function requireThing<K extends Kind>(
  registry: Registry,
  kind: K,
  id: string,
  authorizedScope: AuthorizedScope,
): Promise<Resources[K]> {
  const thing = await registry.find(kind, id, authorizedScope)
  if (!thing) throw notThere(kind)
  return thing
}

/** A thing that a body refers to: one out of the caller's scope is as good as none. */
export async function requireReferred<K extends Kind>(
  registry: Registry,
  kind: K,
  id: string,
  authorizedScope: AuthorizedScope,
  field: string,
): Promise<Resources[K]> {
  const thing = await registry.find(kind, id, authorizedScope)
  if (!thing) throw badField(field, `names no ${nounOf[kind]} that you may use here`)
  return thing
}

/** Throws where the name is somebody else's, however either is spelled. */
export async function requireFreeName(
  registry: Registry,
  kind: Kind,
  name: string,
  domainId?: string,
): Promise<void> {
  if (!(await registry.isNameTaken(kind, name, domainId))) return
  const noun = nounOf[kind]
  const where = domainId === undefined ? '' : ' in its domain'
  throw new PlatformError(
    'DuplicateNameError',
    `There is already a ${noun.replace('_', ' ')} of this name${where}.`,
    { fields: [{ path: `${noun}.name`, problem: 'is taken' }] },
  )
}

/** The same for a change of name; another spelling of the same name is free. */
export async function requireFreeRename(
  registry: Registry,
  kind: Kind,
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
  const domain = await requireReferred(registry, 'domains', domainId, authorizedScope, field)
  return domain.id
}
