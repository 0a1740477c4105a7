import { Type } from 'typebox'
import { example as shared, exampleTimestamp } from '../administration/examples.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { mostViews, NewView, SavedView, ViewChanges, ViewListQuery } from './view.ts'

const common = { ...platformDefaults, tag: 'Saved views' } as const

/** One's own need no right; those of others are within reach only where they are shared. */
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

/** Queries that people keep by a name. */
export const viewOperations = [
  {
    id: 'listViews',
    method: 'GET',
    path: '/views',
    ...common,
    permission: permission('list'),
    summary: 'List saved views',
    description:
      "Your own, and those that others share in your token's project. Newest first, unless you say.",
    query: ViewListQuery,
    responses: {
      200: {
        description: 'A page of views',
        body: exactObject({
          views: Type.Array(SavedView),
          limit: Type.Integer(),
          offset: Type.Integer(),
          total: Type.Integer(),
        }),
        headers: { Link: 'The next page, where there is one: `rel="next"`' },
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
    summary: 'Show a saved view',
    description:
      'A private one is there for its owner and for nobody else, whatever their roles; one that is shared is looked for as far as you may see.',
    responses: { 200: shown('The view') },
  },
  {
    id: 'createView',
    method: 'POST',
    path: '/views',
    ...common,
    permission: permission('create'),
    summary: 'Save a view',
    description: `A query that the list itself would refuse is refused here. Private unless you say; to share it in your token's project takes the right. Names are unique among yours in a project; ${mostViews} views are the most.`,
    body: exactObject({ view: NewView }),
    example: { view: newViewExample },
    responses: { 201: shown('Saved') },
  },
  {
    id: 'updateView',
    method: 'PUT',
    path: '/views/{id}',
    ...common,
    permission: permission('update'),
    summary: 'Change a saved view',
    description:
      'Name only what changes. Only its owner does; where it is shared afterwards, with the right to share it in its project.',
    body: exactObject({ view: ViewChanges }),
    example: { view: { q: 'status:running vcpu>=16' } },
    responses: { 200: shown('As it is now') },
  },
  {
    id: 'deleteView',
    method: 'DELETE',
    path: '/views/{id}',
    ...common,
    permission: permission('delete'),
    summary: 'Delete a saved view',
    description: 'Your own; or one that is shared where you hold the right.',
    responses: { 204: { description: 'Gone' } },
  },
] as const satisfies readonly Operation[]
