import { Type, type Static } from 'typebox'
import { exactObject } from '../scalars.ts'
import { selectedServers, selectionOutcomes } from '../tasks/selected-servers.ts'

/** Servers that an account takes over from the accounts that hold them. */
export const ClaimRequest = exactObject(
  selectedServers({
    q: 'Search query as in `GET /servers`, over the servers that this account and another one report',
    matched: 'From a dry run; required without `dry_run`. 409 if the servers have changed.',
  }),
)
export type ClaimRequest = Static<typeof ClaimRequest>

export const Claim = exactObject(
  selectionOutcomes(
    Type.Enum(['move', 'replace', 'already', 'refused'], {
      description:
        '`move`: the server goes to the account, with what users wrote. `replace`: the account is in another domain, where the server is a new one with another id. `already`: the account holds it. `refused`: see `reason`.',
    }),
  ),
)
export type Claim = Static<typeof Claim>
