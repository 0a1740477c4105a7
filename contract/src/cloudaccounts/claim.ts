import { Type, type Static } from 'typebox'
import { maxQueryLength } from '../resources/list-operations.ts'
import { exactObject, Id } from '../scalars.ts'
import { maxBatchSize } from '../tasks/batch.ts'

/** Servers that an account takes over from the accounts that hold them. */
export const ClaimRequest = exactObject({
  ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: maxBatchSize,
      description: `Ids of servers, at most ${maxBatchSize}`,
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxQueryLength,
      description: 'Search query as in `GET /servers`, over all servers',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Return what would be done, without doing it' }),
  ),
  matched: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'From a dry run; required without `dry_run`. 409 if the servers have changed.',
    }),
  ),
})
export type ClaimRequest = Static<typeof ClaimRequest>

export const Claim = exactObject({
  matched: Type.String({ description: 'Hash of the ids; send it with the claim' }),
  total: Type.Integer(),
  items: Type.Array(
    exactObject({
      server_id: Type.String(),
      server: Type.String(),
      outcome: Type.Enum(['move', 'replace', 'already', 'refused'], {
        description:
          '`move`: the server goes to the account, with what users wrote. `replace`: the account is in another domain, where the server is a new one with another id. `already`: the account holds it. `refused`: see `reason`.',
      }),
      reason: Type.String(),
    }),
  ),
})
export type Claim = Static<typeof Claim>
