import type { Impact, OperationId } from '@muster/contract'
import { api } from './client.ts'
import { kindOperations, type Kind, type Entities } from './kind-operations.ts'
import { markerOf } from './marker-of.ts'

export type Values = Readonly<Record<string, unknown>>

interface AnyInput {
  readonly parameters?: { readonly id: string }
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: Values
  readonly signal?: AbortSignal
}

/** The six kinds have the same operations, so the operation is looked up by kind, without its own types. */
const call = api as unknown as Readonly<
  Record<OperationId, (input: AnyInput) => Promise<Readonly<Record<string, unknown>>>>
>

export interface EntityPage<K extends Kind> {
  readonly entities: readonly Entities[K][]
  /** Marker of the next page, if there is one. */
  readonly marker: string | undefined
}

export type ListQuery = Readonly<Record<string, string | undefined>>

export async function listEntities<K extends Kind>(
  kind: K,
  query: ListQuery,
  signal: AbortSignal,
): Promise<EntityPage<K>> {
  const body = await call[kindOperations[kind].list]({ query, signal })
  const { next } = body['links'] as { readonly next: string | null }
  return { entities: body[kind] as readonly Entities[K][], marker: markerOf(next) }
}

export async function getEntity<K extends Kind>(kind: K, id: string, signal: AbortSignal) {
  const { get, key } = kindOperations[kind]
  return (await call[get]({ parameters: { id }, signal }))[key] as Entities[K]
}

export async function createEntity<K extends Kind>(kind: K, values: Values) {
  const { create, key } = kindOperations[kind]
  return (await call[create]({ body: { [key]: values } }))[key] as Entities[K]
}

export async function updateEntity<K extends Kind>(kind: K, id: string, values: Values) {
  const { update, key } = kindOperations[kind]
  return (await call[update]({ parameters: { id }, body: { [key]: values } }))[key] as Entities[K]
}

export async function deleteEntity(kind: Kind, id: string): Promise<void> {
  await call[kindOperations[kind].delete]({ parameters: { id } })
}

/** What depends on an entity; null for kinds without this operation. */
export async function readImpact(kind: Kind, id: string, signal: AbortSignal) {
  const { impact } = kindOperations[kind]
  if (!impact) return null
  return (await call[impact]({ parameters: { id }, signal }))['impact'] as Impact
}
