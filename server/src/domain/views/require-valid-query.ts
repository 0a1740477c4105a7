import type { SavedView } from '@muster/contract'
import { badField, PlatformError } from '../error.ts'
import { readServerQuery } from '../inventory/read-server-query.ts'

type Query = Pick<SavedView, 'q' | 'columns' | 'order_by' | 'order' | 'scope'>

/** What the list calls it that a view calls otherwise. Too much of a query can only be in `q`. */
const ownNames: Readonly<Record<string, string>> = { field: 'columns', query: 'q' }

const tag = /^metadata\../

/** Throws where the list itself would refuse the query, and says which part of the view it is. */
export function requireValidQuery({ q, columns, order_by, order, scope }: Query): void {
  try {
    readServerQuery({
      q,
      order_by,
      order,
      // To show a tag is to ask for all of them.
      field: columns.map((column) => (tag.test(column) ? 'metadata' : column)),
      ...(scope !== '' && { scope }),
    })
  } catch (error) {
    const [problem] = error instanceof PlatformError ? (error.fields ?? []) : []
    if (!problem) throw error
    throw badField(`view.${ownNames[problem.path] ?? problem.path}`, problem.problem)
  }
}
