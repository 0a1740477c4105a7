import type { NewView, SavedView } from '@muster/contract'
import { completeTerms } from '../filter/edit-query.ts'
import { columnsOfFields, fieldsOfColumns } from './column-fields.ts'
import { readGroupBy } from './grouping.ts'
import { scopeValues } from '../inventory/list-state.ts'
import { defaultSort, type ListState } from './list-state.ts'

type Query = Required<Pick<NewView, 'q' | 'columns' | 'order_by' | 'order' | 'group_by' | 'scope'>>

/** The list state as a saved view. */
export function toView({ q, columns, sort, groupBy, scope }: ListState): Query {
  return {
    // The API rejects incomplete terms.
    q: completeTerms(q),
    columns: fieldsOfColumns(columns),
    order_by: [sort.by],
    order: sort.order,
    group_by: groupBy ?? '',
    scope,
  }
}

/** A saved view as list state. */
export function fromView(
  view: SavedView,
): Pick<ListState, 'q' | 'columns' | 'sort' | 'groupBy' | 'openGroups' | 'scope' | 'view'> {
  const [by] = view.order_by
  return {
    q: view.q,
    columns: columnsOfFields(view.columns),
    sort: by === undefined ? defaultSort : { by, order: view.order },
    groupBy: readGroupBy(view.group_by),
    openGroups: [],
    scope: scopeValues.find((scope) => scope === view.scope) ?? 'max',
    view: view.id,
  }
}

/** Whether the list has been changed since the view was opened. */
export function isEdited(state: ListState, view: SavedView): boolean {
  return JSON.stringify(toView(state)) !== JSON.stringify(toView({ ...state, ...fromView(view) }))
}
