import { Type, type Static } from 'typebox'
import { clientParameters, defaultPageSize, maxPageSize } from '../paging.ts'
import { exactObject, Id, NewName, Timestamp } from '../scalars.ts'
import { maxQueryLength, maxSortFields, scopes } from '../resources/list-operations.ts'

/** Maximum number of views of a user. */
export const maxViewsPerUser = 100

export const viewSharings = ['private', 'project'] as const

const ViewName = { ...NewName, maxLength: 128 }
const Resource = Type.Enum(['servers'], { description: 'The list that the view queries' })
const Scope = Type.Enum(['', ...scopes], {
  description: '`scope` of the list. Empty: the scope of the token.',
})
const Order = Type.Enum(['asc', 'desc'])
const Sharing = Type.Enum([...viewSharings], {
  description: '`private`: only you. `project`: everybody with a token for the project.',
})

const several = (maxLength: number, maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, description })

const query = {
  q: Type.String({ maxLength: maxQueryLength, description: '`q` of the list' }),
  columns: several(
    320,
    100,
    'Columns in display order: a field, or `metadata.<key>` for a tag. Empty: the default columns.',
  ),
  order_by: several(64, maxSortFields, '`order_by` of the list. Empty: the default order.'),
  order: Order,
  scope: Scope,
  sharing: Sharing,
}

/** A saved query of a user. */
export const SavedView = exactObject({
  id: Type.String(),
  name: Type.String(),
  resource: Resource,
  ...query,
  user_id: Type.String({ description: 'The owner' }),
  user: Type.String(),
  project_id: Type.String({
    description:
      'The project in which the view was created. Empty: it was created with a token for a domain.',
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

const wholeNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999, description }))

export const ViewListQuery = exactObject({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  sharing: Type.Optional(Type.Enum([...viewSharings])),
  user_id: Type.Optional(Id),
  project_id: Type.Optional(Id),
  order_by: Type.Optional(Type.Enum(['created_at', 'updated_at', 'name'])),
  order: Type.Optional(Order),
  limit: wholeNumber(`Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`),
  offset: wholeNumber('Number of views to skip. Default: 0.'),
  ...clientParameters,
})
export type ViewListQuery = Static<typeof ViewListQuery>
