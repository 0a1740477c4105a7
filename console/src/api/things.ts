import type { Impact, OperationId } from '@muster/contract'
import { api } from './client.ts'
import { kindOperations, type Kind, type Things } from './kind-operations.ts'
import { markerOf } from './marker-of.ts'

export type Values = Readonly<Record<string, unknown>>

interface AnyInput {
  readonly parameters?: { readonly id: string }
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: Values
  readonly signal?: AbortSignal
}

/** The six kinds are called alike: which operation it is, is data here, and its types with it. */
const call = api as unknown as Readonly<
  Record<OperationId, (input: AnyInput) => Promise<Readonly<Record<string, unknown>>>>
>

export interface ThingPage<K extends Kind> {
  readonly things: readonly Things[K][]
  /** Where the next page begins, if there is one. */
  readonly marker: string | undefined
}

export type ListQuery = Readonly<Record<string, string | undefined>>

export async function listThings<K extends Kind>(
  kind: K,
  query: ListQuery,
  signal: AbortSignal,
): Promise<ThingPage<K>> {
  const body = await call[kindOperations[kind].list]({ query, signal })
  const { next } = body['links'] as { readonly next: string | null }
  return { things: body[kind] as readonly Things[K][], marker: markerOf(next) }
}

export async function getThing<K extends Kind>(kind: K, id: string, signal: AbortSignal) {
  const { get, key } = kindOperations[kind]
  return (await call[get]({ parameters: { id }, signal }))[key] as Things[K]
}

export async function createThing<K extends Kind>(kind: K, values: Values) {
  const { create, key } = kindOperations[kind]
  return (await call[create]({ body: { [key]: values } }))[key] as Things[K]
}

export async function updateThing<K extends Kind>(kind: K, id: string, values: Values) {
  const { update, key } = kindOperations[kind]
  return (await call[update]({ parameters: { id }, body: { [key]: values } }))[key] as Things[K]
}

export async function deleteThing(kind: Kind, id: string): Promise<void> {
  await call[kindOperations[kind].delete]({ parameters: { id } })
}

/** What hangs on a thing; null for kinds that have no such question. */
export async function readImpact(kind: Kind, id: string, signal: AbortSignal) {
  const { impact } = kindOperations[kind]
  if (!impact) return null
  return (await call[impact]({ parameters: { id }, signal }))['impact'] as Impact
}
