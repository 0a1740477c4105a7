import { Type, type Static } from 'typebox'
import { clientParameters } from '../paging.ts'
import { exactObject, Id, NewName, Timestamp } from '../scalars.ts'
import { longestQ, mostSortFields, serverScopes } from '../servers/parameters.ts'

/** How many one user keeps. */
export const mostViews = 100

export const viewSharings = ['private', 'project'] as const

const ViewName = { ...NewName, maxLength: 128 }
const Resource = Type.Enum(['servers'], { description: 'What list it is a query of' })
const Scope = Type.Enum(['', ...serverScopes], {
  description: '`scope` of the list; empty: as far as the token is for',
})
const Order = Type.Enum(['asc', 'desc'])
const Sharing = Type.Enum([...viewSharings], {
  description: '`private`: only you see it; `project`: everybody whose token is for its project',
})

const several = (maxLength: number, maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, description })

const query = {
  q: Type.String({ maxLength: longestQ, description: '`q` of the list' }),
  columns: several(
    320,
    100,
    'What is shown of each server, in this order: a field, or `metadata.<key>` for a tag. None: as usual',
  ),
  order_by: several(64, mostSortFields, '`order_by` of the list. None: as usual'),
  order: Order,
  scope: Scope,
  sharing: Sharing,
}

/** A query that somebody keeps by a name. */
export const SavedView = exactObject({
  id: Type.String(),
  name: Type.String(),
  resource: Resource,
  ...query,
  user_id: Type.String({ description: 'Whose it is' }),
  user: Type.String(),
  project_id: Type.String({
    description: 'The project that the token was for when it was made; empty for a domain',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedView = Static<typeof SavedView>

const optional = {
  q: Type.Optional(query.q),
  columns: Type.Optional(query.columns),
  order_by: Type.Optional(query.order_by),
  order: Type.Optional(Order),
  scope: Type.Optional(Scope),
  sharing: Type.Optional(Sharing),
}

export const NewView = exactObject({
  name: ViewName,
  resource: Type.Optional(Resource),
  ...optional,
})
export type NewView = Static<typeof NewView>

export const ViewChanges = Type.Object(
  { name: Type.Optional(ViewName), ...optional },
  { additionalProperties: false, minProperties: 1 },
)
export type ViewChanges = Static<typeof ViewChanges>

const whole = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999, description }))

export const ViewListQuery = exactObject({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  sharing: Type.Optional(Type.Enum([...viewSharings])),
  user_id: Type.Optional(Id),
  project_id: Type.Optional(Id),
  order_by: Type.Optional(Type.Enum(['created_at', 'updated_at', 'name'])),
  order: Type.Optional(Order),
  limit: whole('20 unless you say, 2048 at the most'),
  offset: whole('So many are left out first'),
  ...clientParameters,
})
export type ViewListQuery = Static<typeof ViewListQuery>
