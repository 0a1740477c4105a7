import { newId } from '../../domain/new-id.ts'
import type { Tables } from '../../storage/tables.ts'
import type { Resources } from './persona-resources.ts'

/** The parts of a request that depend on the resource. */
export interface Parts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Record<string, string>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface CallContext {
  readonly resources: Resources
  readonly token: string | undefined
  /** The call will succeed: use a resource that no other call needs. */
  readonly isDone: boolean
}

export interface Request {
  readonly parts: (context: CallContext) => Parts
  /** For a list: the id of the resource that it contains. */
  readonly shows?: TextOf
  /** For a change: the tables that it changes. */
  readonly changes?: readonly (keyof Tables)[]
  /** It succeeds only once per resource. */
  readonly isFinal?: boolean
}

type PartsOf = (resources: Resources) => Parts
export type TextOf = (resources: Resources) => string

export const read = (parts: PartsOf = () => ({})): Request => ({
  parts: ({ resources }) => parts(resources),
})
export const list = (parts: PartsOf, shows: TextOf): Request => ({ ...read(parts), shows })
export const change = (changes: readonly (keyof Tables)[], parts: PartsOf): Request => ({
  ...read(parts),
  changes,
})
export const finish = (
  changes: readonly (keyof Tables)[],
  parts: (resources: Resources, isDone: boolean) => Parts,
): Request => ({
  parts: ({ resources, isDone }) => parts(resources, isDone),
  changes,
  isFinal: true,
})

/** Every change of identity data also writes an audit event and the identity version. */
export const audited = (...tables: (keyof Tables)[]) =>
  [...tables, 'events', 'identity_version'] as const

export const name = () => `new ${newId()}`
export const at = (id: string) => ({ path: { id } })
