import { Type } from 'typebox'
import { example as shared, exampleMoment } from '../administration/examples.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { mostViews, NewView, SavedView, ViewChanges, ViewListQuery } from './view.ts'

const common = { access: 'token', tag: 'Saved views' } as const

/** One's own need no right; those of others are within reach only where they are shared. */
const need = <const Action extends 'list' | 'get' | 'create' | 'update' | 'delete'>(
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
  created_at: exampleMoment,
  updated_at: exampleMoment,
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
    needs: need('list'),
    summary: 'List saved views',
    description:
      "Your own, and those that others share in your token's project. Newest first, unless you say.",
    query: ViewListQuery,
    answers: {
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
    needs: need('get'),
    summary: 'Show a saved view',
    description:
      'A private one is there for its owner and for nobody else, whatever their roles; one that is shared is looked for as far as you may see.',
    answers: { 200: shown('The view') },
  },
  {
    id: 'createView',
    method: 'POST',
    path: '/views',
    ...common,
    needs: need('create'),
    summary: 'Save a view',
    description: `A query that the list itself would refuse is refused here. Private unless you say; to share it in your token's project takes the right. Names are unique among yours in a project; ${mostViews} views are the most.`,
    body: exactObject({ view: NewView }),
    example: { view: newViewExample },
    answers: { 201: shown('Saved') },
  },
  {
    id: 'updateView',
    method: 'PUT',
    path: '/views/{id}',
    ...common,
    needs: need('update'),
    summary: 'Change a saved view',
    description:
      'Name only what changes. Only its owner does; where it is shared afterwards, with the right to share it in its project.',
    body: exactObject({ view: ViewChanges }),
    example: { view: { q: 'status:running vcpu>=16' } },
    answers: { 200: shown('As it is now') },
  },
  {
    id: 'deleteView',
    method: 'DELETE',
    path: '/views/{id}',
    ...common,
    needs: need('delete'),
    summary: 'Delete a saved view',
    description: 'Your own; or one that is shared where you hold the right.',
    answers: { 204: { description: 'Gone' } },
  },
] as const satisfies readonly Operation[]
