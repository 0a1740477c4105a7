import { Type } from 'typebox'

/** What Cloudpods' client sends with every list, whatever is listed. */
export const clientParameters = {
  details: Type.Optional(
    Type.Boolean({ description: 'Sent by existing clients: what is listed is always whole' }),
  ),
  summary_stats: Type.Optional(
    Type.Literal(false, { description: 'Sent by existing clients: a list has no summary' }),
  ),
}

export const offsetParameter = Type.Optional(
  Type.Integer({ minimum: 0, description: 'So many are left out first' }),
)

/** The query of a list that is short: a page of it is cut from the whole. */
export const shortListParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many at most' })),
  offset: offsetParameter,
  ...clientParameters,
}
