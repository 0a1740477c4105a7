import { Type } from 'typebox'

/** Page size of servers, views, accounts and events when the client sends no `limit`. */
export const defaultPageSize = 20

/** A larger `limit` is reduced to this. Lists under `/v3` also use it as the default: Keystone's clients do not page. */
export const maxPageSize = 2048

/** What Cloudpods' client sends with every list, whatever is listed. */
export const clientParameters = {
  details: Type.Optional(
    Type.Boolean({
      description: 'Sent by existing clients. Changes nothing',
    }),
  ),
  summary_stats: Type.Optional(
    Type.Literal(false, {
      description: 'Sent by existing clients. Changes nothing',
    }),
  ),
}

export const offsetParameter = Type.Optional(
  Type.Integer({ minimum: 0, description: 'How many to skip. Default: 0' }),
)

/** The query of a list that is short: a page of it is cut from the whole. */
export const shortListParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many at most' })),
  offset: offsetParameter,
  ...clientParameters,
}

/** For answers without pages, to which the same client sends them too. */
export const ignoredListParameters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Sent by existing clients. Changes nothing' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Sent by existing clients. Changes nothing' }),
  ),
  ...clientParameters,
}
