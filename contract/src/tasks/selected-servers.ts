import { Type, type TSchema } from 'typebox'
import { refusal } from '../errors.ts'
import { maxQueryLength } from '../resources/list-operations.ts'
import { exactObject, Id } from '../scalars.ts'

/** Maximum number of servers of one request. */
export const maxBatchSize = 1_000

/** The servers of a request about many of them, and its dry run. */
export const selectedServers = (descriptions: {
  readonly q: string
  readonly matched: string
}) => ({
  ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: maxBatchSize,
      description: `Ids of servers, at most ${maxBatchSize}`,
    }),
  ),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxQueryLength, description: descriptions.q }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Return what would be done, without doing it' }),
  ),
  matched: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: descriptions.matched }),
  ),
})

/** The outcome for each server. */
export const selectionOutcomes = <Outcome extends TSchema>(outcome: Outcome) => ({
  matched: Type.String({ description: 'Hash of the servers; send it with the request itself' }),
  total: Type.Integer(),
  items: Type.Array(
    exactObject({
      server_id: Type.String(),
      server: Type.String(),
      outcome,
      reason: Type.String(),
      ...refusal,
    }),
  ),
})
