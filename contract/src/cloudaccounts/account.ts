import { Type, type Static } from 'typebox'
import { exactObject, Id, NewName, OptionalTimestamp, Timestamp } from '../scalars.ts'

const Pattern = Type.String({
  minLength: 1,
  maxLength: 255,
  description: '`*` stands for any characters',
})

/** Which servers of an account belong to a project. */
export const AccountRule = exactObject({
  tenant: Type.Optional({
    ...Pattern,
    description:
      "The id or name of the source's own tenant, project or account; `*` for any characters",
  }),
  tag: Type.Optional({
    ...Pattern,
    description: 'A tag of the source, `team=web` or only `team`; `*` for any characters',
  }),
  account: Type.Optional({
    ...Pattern,
    description: 'The name of the account in Muster; `*` for any characters',
  }),
  name: Type.Optional({
    ...Pattern,
    description: "The server's name; `*` for any characters",
  }),
  project_id: { ...Id, description: 'The project that they then belong to' },
})
export type AccountRule = Static<typeof AccountRule>

export const mostRules = 2_000
const Mapping = Type.Array(AccountRule, {
  maxItems: mostRules,
  description:
    'Gone through from the first on: the first rule of which everything holds decides. Where none does, the server belongs to `project_id`',
})

export const accountStatuses = ['init', 'connected', 'disconnected', 'lost', 'disabled'] as const
export const syncStates = ['idle', 'queued', 'running'] as const

export const warningKinds = ['unreadable', 'missing', 'duplicate'] as const

export const AccountWarning = exactObject({
  kind: Type.Enum([...warningKinds], {
    description:
      '`unreadable` servers could not be read and keep their last values; `missing` servers are suddenly missing from the source and will be removed later; `duplicate` servers run on two hosts at once',
  }),
  text: Type.String(),
  count: Type.Integer({ description: 'How many servers it is about' }),
  until: {
    ...OptionalTimestamp,
    description:
      'When the first of the `missing` servers are removed, if they do not return; else null',
  },
})
export type AccountWarning = Static<typeof AccountWarning>

export const AccountSync = exactObject({
  state: Type.Enum([...syncStates]),
  started_at: { ...OptionalTimestamp, description: 'Of the one under way, or of the last' },
  finished_at: { ...OptionalTimestamp, description: 'When the last complete one was through' },
  duration_ms: Type.Integer({ description: 'How long that one took' }),
  seen: Type.Integer({ description: 'While one is under way: so far' }),
  created: Type.Integer(),
  changed: Type.Integer(),
  gone: Type.Integer(),
  error: Type.String({ description: 'Why the last one failed; empty where it did not' }),
  warnings: Type.Array(AccountWarning, {
    description:
      'What needs attention although the account works. Warnings do not change its status',
  }),
  next_at: { ...OptionalTimestamp, description: 'When the next one is due; null where none is' },
})
export type AccountSync = Static<typeof AccountSync>

const longestText = 65_536

/** A key that holds the end of a line matches no pattern, and its value would be anything. */
const bounds = {
  additionalProperties: false,
  maxProperties: 32,
  propertyNames: { minLength: 1, maxLength: 64 },
} as const

const Options = Type.Record(
  Type.String(),
  Type.Union([
    Type.String({ maxLength: longestText }),
    Type.Integer(),
    Type.Boolean(),
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: mostRules }),
  ]),
  { ...bounds, description: 'Of the provider: see `GET /cloudaccounts/providers`' },
)

const DisappearanceHold = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 31_536_000 }), Type.Null()],
  {
    description:
      'Seconds for which servers are kept as `unknown` when more than half of them are suddenly missing. 0: only until three complete syncs in a row have missed them. null: the setting `--disappearance-hold`',
  },
)

export const CloudAccount = exactObject({
  id: Type.String(),
  name: Type.String(),
  provider: Type.String(),
  brand: Type.String(),
  address: Type.String(),
  options: Options,
  project_id: Type.String(),
  period: Type.Integer({ description: 'Seconds between complete syncs' }),
  disappearance_hold: DisappearanceHold,
  enabled: Type.Boolean(),
  mapping: Type.Array(AccountRule),
  status: Type.Enum([...accountStatuses], {
    description:
      '`init` not synced yet, `connected`, `disconnected` the last sync failed, `lost` no answer for three periods: its servers are `unknown`, `disabled`',
  }),
  servers: Type.Integer({
    description: 'How many servers it sees, those included that another account holds',
  }),
  created_at: Timestamp,
  sync: AccountSync,
})
export type CloudAccount = Static<typeof CloudAccount>

const Credentials = Type.Record(Type.String(), Type.String({ maxLength: longestText }), {
  ...bounds,
  description: 'Kept sealed, and never shown again',
})

export const shortestPeriod = 5
const settable = {
  brand: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  address: Type.Optional(Type.String({ maxLength: 1024 })),
  credentials: Type.Optional(Credentials),
  options: Type.Optional(Options),
  period: Type.Optional(
    Type.Integer({
      minimum: shortestPeriod,
      maximum: 86_400,
      description: 'Seconds between complete syncs',
    }),
  ),
  disappearance_hold: Type.Optional(DisappearanceHold),
  enabled: Type.Optional(Type.Boolean()),
  mapping: Type.Optional(Mapping),
}

const Provider = Type.String({ minLength: 1, maxLength: 64 })

export const NewCloudAccount = exactObject({
  name: NewName,
  provider: Provider,
  project_id: { ...Id, description: 'Whose the servers are that no rule says anything of' },
  ...settable,
})
export type NewCloudAccount = Static<typeof NewCloudAccount>

export const CloudAccountChanges = Type.Object(
  { name: Type.Optional(NewName), project_id: Type.Optional(Id), ...settable },
  { additionalProperties: false, minProperties: 1 },
)
export type CloudAccountChanges = Static<typeof CloudAccountChanges>

/** An account that is not kept: only whether it would do is asked. */
export const AccountToTest = exactObject({
  provider: Provider,
  address: settable.address,
  credentials: settable.credentials,
  options: settable.options,
})
export type AccountToTest = Static<typeof AccountToTest>

export const MappingPreviewRequest = exactObject({
  mapping: Mapping,
  project_id: Type.Optional({ ...Id, description: "Instead of the account's own default" }),
})

const Owned = { id: Type.String(), name: Type.String() }

export const MappingPreview = exactObject({
  total: Type.Integer({ description: 'How many servers the account holds' }),
  moves: Type.Integer({ description: 'How many of them would change their project' }),
  projects: Type.Array(
    exactObject({
      project_id: Type.String(),
      project: Type.String(),
      servers: Type.Integer({ description: 'How many it would have of this account' }),
    }),
  ),
  servers: Type.Array(
    exactObject({
      ...Owned,
      from_project_id: Type.String(),
      from_project: Type.String(),
      to_project_id: Type.String(),
      to_project: Type.String(),
      rule: Type.Integer({ description: 'Which rule says so, counted from 0; -1 for none' }),
    }),
    { description: 'Those that would move, 100 of them at most' },
  ),
})
export type MappingPreview = Static<typeof MappingPreview>

export const AccountTest = exactObject({
  ok: Type.Boolean(),
  title: Type.String({ description: 'Who answered' }),
  servers: Type.Integer({ description: 'How many servers it sees' }),
  statuses: Type.Record(Type.String(), Type.Integer()),
  sample: Type.Array(Type.String(), { description: 'Names of a few of them' }),
  is_complete: Type.Boolean({ description: 'False where it was cut off for taking long' }),
  error: Type.String({ description: 'What is wrong, in words; empty where nothing is' }),
  duration_ms: Type.Integer(),
})
export type AccountTest = Static<typeof AccountTest>

const Field = exactObject({
  name: Type.String(),
  type: Type.Enum(['text', 'integer', 'boolean', 'list']),
  required: Type.Boolean(),
  long: Type.Boolean({ description: 'Several lines, such as a certificate' }),
  description: Type.String(),
})

export const CloudProvider = exactObject({
  provider: Type.String(),
  title: Type.String(),
  description: Type.String(),
  address: exactObject({
    required: Type.Boolean(),
    description: Type.String(),
    example: Type.String(),
  }),
  credentials: Type.Array(Field),
  options: Type.Array(Field),
  period: Type.Integer({ description: 'Seconds between complete syncs, unless you say' }),
  events: Type.Boolean({ description: 'Whether it tells of changes by itself' }),
})
export type CloudProvider = Static<typeof CloudProvider>
