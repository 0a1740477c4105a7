import type { SavedView } from '@muster/contract'
import { badField, PlatformError } from '../error.ts'
import { readGrouping } from '../inventory/read-statistics-query.ts'
import { readServerQuery } from '../inventory/server-list/read-server-query.ts'

type Query = Pick<SavedView, 'q' | 'columns' | 'order_by' | 'order' | 'group_by' | 'scope'>

/** Fields of a view whose parameters of the list have other names. */
const ownNames: Readonly<Record<string, string>> = { field: 'columns', query: 'q' }

const tag = /^metadata\../

/** Throws a 400 where the list would reject the query, and names the field of the view. */
export function requireValidQuery(view: Query): void {
  const { q, columns, order_by, order, group_by, scope } = view
  try {
    readServerQuery({
      q,
      order_by,
      order,
      // A tag is one column of a view, but the list returns all tags or none.
      field: columns.map((column) => (tag.test(column) ? 'metadata' : column)),
      ...(scope !== '' && { scope }),
    })
    if (group_by !== '') readGrouping(group_by)
  } catch (error) {
    const [problem] = error instanceof PlatformError ? (error.fields ?? []) : []
    if (!problem) throw error
    throw badField(`view.${ownNames[problem.path] ?? problem.path}`, problem.problem)
  }
}
