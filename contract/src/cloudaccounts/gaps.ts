import { Type, type Static } from 'typebox'
import { defaultPageSize, maxPageSize } from '../paging.ts'
import { exactObject, OptionalTimestamp } from '../scalars.ts'

export const AccountGap = exactObject({
  from: {
    ...OptionalTimestamp,
    description: 'End of the last complete sync before the gap. null: there was none.',
  },
  until: {
    ...OptionalTimestamp,
    description: 'End of the next complete sync. null: the account is not observed yet.',
  },
  region: Type.String({
    description:
      'Id at the source of the region that was not observed. Empty: nothing of the account was.',
  }),
})
export type AccountGap = Static<typeof AccountGap>

export const AccountGapsQuery = exactObject({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Page size. Default: ${defaultPageSize}, maximum: ${maxPageSize}.`,
    }),
  ),
  marker: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description: 'Start of the next page, from the `Link` header',
    }),
  ),
})
export type AccountGapsQuery = Static<typeof AccountGapsQuery>

export const AccountGapList = exactObject({
  gaps: Type.Array(AccountGap),
  limit: Type.Integer(),
})

export const gapExample: AccountGap = {
  from: '2026-05-04T02:00:00.000000Z',
  until: '2026-05-04T02:40:00.000000Z',
  region: '',
}
