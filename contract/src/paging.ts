import { Type } from 'typebox'

/** Page size when the client sends no `limit`. Lists under `/v3` are whole then: Keystone's clients do not page. */
export const defaultPageSize = 20

/** A larger `limit` is reduced to this. */
export const maxPageSize = 2048

/** Description of every parameter that exists for Cloudpods' clients. The OpenAPI document explains them once. */
export const cloudpodsNote = 'See “Cloudpods compatibility”.'

/** Cloudpods' client sends the parameters of lists to operations without pages, too. No effect. */
export const ignoredListParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: cloudpodsNote })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: cloudpodsNote })),
  details: Type.Optional(Type.Boolean({ description: cloudpodsNote })),
  summary_stats: Type.Optional(Type.Literal(false, { description: cloudpodsNote })),
}
