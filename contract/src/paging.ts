import { Type } from 'typebox'

/** Page size of servers, views, accounts and events when the client sends no `limit`. */
export const defaultPageSize = 20

/** A larger `limit` is reduced to this. Lists under `/v3` also use it as the default: Keystone's clients do not page. */
export const maxPageSize = 2048

/** Description of every parameter that exists for Cloudpods' clients. The OpenAPI document explains them once. */
export const cloudpodsNote = 'See “Cloudpods compatibility”.'

/** Sent by Cloudpods' client with every list. No effect. */
export const clientParameters = {
  details: Type.Optional(Type.Boolean({ description: cloudpodsNote })),
  summary_stats: Type.Optional(Type.Literal(false, { description: cloudpodsNote })),
}

export const offsetParameter = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Number of items to skip. Default: 0.' }),
)

/** The query of a short list, which is loaded as a whole. */
export const shortListParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Page size. Default: all.' })),
  offset: offsetParameter,
  ...clientParameters,
}

/** The same client sends paging parameters to operations without pages, too. */
export const ignoredListParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: cloudpodsNote })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: cloudpodsNote })),
  ...clientParameters,
}
