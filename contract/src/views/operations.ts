import { example as shared, exampleTimestamp } from '../administration/examples.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  completeListQuery,
  listBody,
  narrowingScope,
  selected,
} from '../resources/list-operations.ts'
import { exactObject } from '../scalars.ts'
import { maxViewsPerUser, NewView, SavedView, savedViews, ViewChanges } from './view.ts'

const common = { ...platformDefaults, tag: 'Saved views' } as const

/** Users manage their own views without a permission. Permissions apply to shared views. */
const permission = <const Action extends 'list' | 'get' | 'create' | 'update' | 'delete'>(
  action: Action,
) =>
  ({
    service: 'compute',
    resource: 'views',
    action,
    at: ['system', 'domain', 'project', 'self'],
  }) as const

const newViewExample = {
  name: 'Big and running',
  q: 'status:running vcpu>=8',
  columns: ['name', 'status', 'ips', 'metadata.env'],
  order_by: ['vcpu_count'],
  order: 'desc',
  group_by: 'project',
  sharing: 'project',
}

const viewExample = {
  id: '4e5f40718293a4b5c6d7e8f90a1b2c3d',
  resource: 'servers',
  ...newViewExample,
  scope: '',
  user_id: shared.userId,
  user: 'mary',
  project_id: shared.projectId,
  created_at: exampleTimestamp,
  updated_at: exampleTimestamp,
}

const shown = (description: string) => ({
  description,
  body: exactObject({ view: SavedView }),
  example: { view: viewExample },
})

/** Saved queries of users. */
export const viewOperations = [
  {
    id: 'listViews',
    method: 'GET',
    path: '/views',
    ...common,
    permission: permission('list'),
    summary: 'List saved views',
    description:
      "Your own views, and views shared in your token's project. Newest first by default.",
    query: completeListQuery(savedViews, narrowingScope),
    responses: {
      200: {
        description: 'A page of views',
        body: listBody('views', selected(SavedView)),
        headers: { Link: 'The next page, if there is one: `rel="next"`' },
        example: { views: [viewExample], limit: 20, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'getView',
    method: 'GET',
    path: '/views/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a saved view',
    description:
      'Only its owner can get a private view. Shared views are visible in their project.',
    responses: { 200: shown('The view') },
  },
  {
    id: 'createView',
    method: 'POST',
    path: '/views',
    ...common,
    permission: permission('create'),
    summary: 'Create a saved view',
    description: `The query is checked as in the list of servers. Views are private by default. To share a view in your token's project you need the permission. Names are unique per user and project. Each user can have ${maxViewsPerUser} views.`,
    body: exactObject({ view: NewView }),
    example: { view: newViewExample },
    responses: { 201: shown('Created') },
  },
  {
    id: 'updateView',
    method: 'PUT',
    path: '/views/{id}',
    ...common,
    permission: permission('update'),
    summary: 'Update a saved view',
    description:
      'Send only the fields to change. Only the owner can update a view. A shared view also needs the permission to share in its project.',
    body: exactObject({ view: ViewChanges }),
    example: { view: { q: 'status:running vcpu>=16' } },
    responses: { 200: shown('Updated') },
  },
  {
    id: 'deleteView',
    method: 'DELETE',
    path: '/views/{id}',
    ...common,
    permission: permission('delete'),
    summary: 'Delete a saved view',
    description: 'You can delete your own views, and shared views where you have the permission.',
    responses: { 204: { description: 'Deleted' } },
  },
] as const satisfies readonly Operation[]
