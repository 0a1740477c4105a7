import { Type, type Static } from 'typebox'
import { maxQueryLength, maxSortFields, scopeValues } from '../resources/list-operations.ts'
import {
  enumeration,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  wireSchema,
  type Resource as ResourceDescription,
} from '../resources/resource.ts'
import { changesObject, exactObject, NewName } from '../scalars.ts'

/** Maximum number of views of a user. */
export const maxViewsPerUser = 100

export const viewSharings = ['private', 'project'] as const

const ViewName = { ...NewName, maxLength: 128 }
const Resource = Type.Enum(['servers'], { description: 'The list that the view queries' })
const Scope = Type.Enum(['', ...scopeValues], {
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
  group_by: Type.String({
    maxLength: 320,
    description: '`group_by` of the statistics: a field, or `metadata.<key>`. Empty: not grouped.',
  }),
  scope: Scope,
  sharing: Sharing,
}

/** A saved query of a user. */
export const savedViews = {
  key: 'view',
  keys: 'views',
  noun: 'View',
  nouns: 'Views',
  one: 'a saved view',
  many: 'saved views',
  fields: {
    id: text('Id', searchable),
    name: text('Name. Equality ignores case and width.', searchable),
    resource: { ...enumeration('The list that the view queries', filterable), schema: Resource },
    q: { ...text('`q` of the list', searchable), schema: query.q },
    columns: object('Columns', query.columns, []),
    order_by: object('Sort fields', query.order_by, []),
    order: { ...enumeration('Sort order', filterable), schema: query.order },
    group_by: {
      ...text('How the list is grouped. Empty: not grouped.', ['sort']),
      schema: query.group_by,
    },
    scope: { ...enumeration('`scope` of the list', ['sort']), schema: query.scope },
    sharing: { ...enumeration('`private` or `project`', filterable), schema: query.sharing },
    user_id: text('The owner', filterable),
    user: text('Name of the owner', searchable),
    project_id: text(
      'The project in which the view was created. Empty: it was created with a token for a domain.',
      filterable,
    ),
    created_at: knownTimestamp('When the view was created', filterable),
    updated_at: knownTimestamp('When the view was last changed', filterable),
  },
} as const satisfies ResourceDescription

export const SavedView = wireSchema(savedViews)
export type SavedView = Static<typeof SavedView>

const optional = {
  q: Type.Optional(query.q),
  columns: Type.Optional(query.columns),
  order_by: Type.Optional(query.order_by),
  order: Type.Optional(Order),
  group_by: Type.Optional(query.group_by),
  scope: Type.Optional(Scope),
  sharing: Type.Optional(Sharing),
}

export const NewView = exactObject({
  name: ViewName,
  resource: Type.Optional(Resource),
  ...optional,
})
export type NewView = Static<typeof NewView>

export const ViewChanges = changesObject({ name: Type.Optional(ViewName), ...optional })
export type ViewChanges = Static<typeof ViewChanges>
