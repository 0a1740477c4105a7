import type { SavedView } from '@muster/contract'
import { timestamp } from '../timestamp.ts'

/** A stored view. Times are milliseconds since 1970. */
export interface ViewRecord extends Omit<SavedView, 'created_at' | 'updated_at'> {
  /** The project's domain; empty without a project. */
  readonly domain_id: string
  readonly created_at: number
  readonly updated_at: number
  /** Incremented by each change. */
  readonly revision: number
}

/** A view as the API shows it. */
export const describeView = (view: ViewRecord): SavedView => ({
  id: view.id,
  name: view.name,
  resource: view.resource,
  q: view.q,
  columns: view.columns,
  order_by: view.order_by,
  order: view.order,
  group_by: view.group_by,
  scope: view.scope,
  sharing: view.sharing,
  user_id: view.user_id,
  user: view.user,
  project_id: view.project_id,
  created_at: timestamp(view.created_at),
  updated_at: timestamp(view.updated_at),
})
