import type { NewView, SavedView } from '@muster/contract'
import { completeTerms } from '../filter/edit-query.ts'
import { columnsOfFields, fieldsOfColumns } from './column-fields.ts'
import { scopeValues } from '../inventory/list-state.ts'
import { defaultSort, type ListState } from './list-state.ts'

type Query = Required<Pick<NewView, 'q' | 'columns' | 'order_by' | 'order' | 'scope'>>

/** The list state as a saved view. */
export function toView({ q, columns, sort, scope }: ListState): Query {
  return {
    // The API rejects incomplete terms.
    q: completeTerms(q),
    columns: fieldsOfColumns(columns),
    order_by: [sort.by],
    order: sort.order,
    scope,
  }
}

/** A saved view as list state. */
export function fromView(
  view: SavedView,
): Pick<ListState, 'q' | 'columns' | 'sort' | 'scope' | 'view'> {
  const [by] = view.order_by
  return {
    q: view.q,
    columns: columnsOfFields(view.columns),
    sort: by === undefined ? defaultSort : { by, order: view.order },
    scope: scopeValues.find((scope) => scope === view.scope) ?? 'max',
    view: view.id,
  }
}

/** Whether the list has been changed since the view was opened. */
export function isEdited(state: ListState, view: SavedView): boolean {
  return JSON.stringify(toView(state)) !== JSON.stringify(toView({ ...state, ...fromView(view) }))
}
