import { Type, type Static } from 'typebox'
import { FormField } from '../form-field.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  number,
  object,
  searchable,
  text,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { changesObject, exactObject, Id, NewName, OptionalTimestamp } from '../scalars.ts'

const Pattern = Type.String({
  minLength: 1,
  maxLength: 255,
  description: '`*` matches any characters',
})

/** Assigns matching servers of an account to a project. */
export const AccountRule = exactObject({
  tenant: Type.Optional({
    ...Pattern,
    description:
      'Id or name of the tenant, project or account in the source. `*` matches any characters.',
  }),
  tag: Type.Optional({
    ...Pattern,
    description:
      'Tag of the source: `team=web`, or `team` for any value. `*` matches any characters.',
  }),
  account: Type.Optional({
    ...Pattern,
    description: 'Name of the cloud account in Muster. `*` matches any characters.',
  }),
  name: Type.Optional({
    ...Pattern,
    description: 'Name of the server. `*` matches any characters.',
  }),
  project_id: { ...Id, description: 'Project that matching servers are assigned to' },
})
export type AccountRule = Static<typeof AccountRule>

export const maxMappingRules = 2_000
const Mapping = Type.Array(AccountRule, {
  maxItems: maxMappingRules,
  description:
    'The first matching rule applies. A rule matches if all its patterns match. Servers without a matching rule are assigned to `project_id`.',
})

/** In the order in which lists sort them: what fails comes first. */
export const accountStatuses = [
  'lost',
  'disconnected',
  'degraded',
  'init',
  'connected',
  'disabled',
] as const
/** Whether Muster only reads the servers of an account, or may also act on them. */
export const accountAccesses = ['observe', 'manage'] as const
export type AccountAccess = (typeof accountAccesses)[number]

/** Actions that run at once in an account, unless it says otherwise. */
export const defaultMaxActions = 10

/** Seconds for one request to a source, unless the account says otherwise. */
export const defaultRequestTimeout = 20

export const syncStates = ['idle', 'queued', 'running'] as const

export const warningKinds = [
  'unreadable',
  'cut',
  'missing',
  'duplicate',
  'forbidden',
  'recycled',
  'region',
  'incomplete',
  'shared',
] as const

export const AccountWarning = exactObject({
  kind: Type.Enum([...warningKinds], {
    description:
      '`unreadable` servers could not be read and keep their last values; `cut`: the source sends more about these servers, hosts or networks than Muster stores, so texts, tags or lists are cut; `missing` servers are suddenly missing from the source and will be removed later; `duplicate` servers run on two hosts at once; `forbidden`: the credentials lack a permission, so some details of these servers are unknown; `recycled` servers stay in the recycle bin although their time is over; `region`: a region or a service of the source fails while the others work; `incomplete`: the list of the source lacks servers that exist; `shared` servers are reported by another account as well',
  }),
  text: Type.String(),
  count: Type.Integer({ description: 'Number of affected servers' }),
  until: {
    ...OptionalTimestamp,
    description:
      'When Muster removes the first `missing` servers if they do not return. null for other warnings.',
  },
})
export type AccountWarning = Static<typeof AccountWarning>

const ErrorField = Type.Enum(['', 'address', 'credentials'], {
  description: 'Which setting of the account the error is about, if it is about one',
})

export const AccountSync = exactObject({
  state: Type.Enum([...syncStates]),
  started_at: {
    ...OptionalTimestamp,
    description: 'Start of the running sync, or of the last one',
  },
  finished_at: { ...OptionalTimestamp, description: 'End of the last complete sync' },
  duration_ms: Type.Integer({ description: 'Duration of the last complete sync' }),
  seen: Type.Integer({ description: 'Servers found. During a sync: so far.' }),
  created: Type.Integer(),
  changed: Type.Integer(),
  gone: Type.Integer(),
  error: Type.String({ description: 'Why the last sync failed. Empty if it succeeded.' }),
  error_field: ErrorField,
  failing_since: {
    ...OptionalTimestamp,
    description:
      'Start of the first sync that failed, as a whole or in a region, since the last one that did not. null: the last sync did not fail.',
  },
  warnings: Type.Array(AccountWarning, {
    description:
      'Problems of an account that works. Only `region` changes its status, to `degraded`.',
  }),
  next_at: {
    ...OptionalTimestamp,
    description: 'Start of the next sync. null: none is scheduled.',
  },
})
export type AccountSync = Static<typeof AccountSync>

const noSync: AccountSync = {
  state: 'idle',
  started_at: null,
  finished_at: null,
  duration_ms: 0,
  seen: 0,
  created: 0,
  changed: 0,
  gone: 0,
  error: '',
  error_field: '',
  failing_since: null,
  warnings: [],
  next_at: null,
}

const longestText = 65_536

/** Without this, a key with a line break would match no pattern and bypass the schema of its value. */
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
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: maxMappingRules }),
  ]),
  { ...bounds, description: 'Provider options. See `GET /cloudaccounts/providers`.' },
)

const DisappearanceHold = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 31_536_000 }), Type.Null()],
  {
    description:
      'If more than half of the servers disappear at once, Muster shows them as `unknown` for this many seconds before it removes them. 0: until three consecutive complete syncs do not find them. null: the setting `--disappearance-hold`.',
  },
)

export const cloudAccounts = {
  key: 'cloudaccount',
  keys: 'cloudaccounts',
  noun: 'CloudAccount',
  nouns: 'CloudAccounts',
  one: 'a cloud account',
  many: 'cloud accounts',
  fields: {
    id: text('Id', searchable),
    name: text('Name', searchable),
    provider: enumeration('Provider', searchable),
    brand: enumeration('The provider, or another name for it', searchable),
    address: text('Address of the source', searchable),
    options: object('Provider options', Options, {}),
    project_id: text('Project of servers without a matching rule', filterable),
    period: number('Seconds between complete syncs', filterable),
    disappearance_hold: object(
      'Seconds before missing servers are removed',
      DisappearanceHold,
      null,
    ),
    enabled: boolean('Whether the account is synced', filterable),
    access: {
      ...enumeration('What Muster may do', filterable),
      schema: Type.Enum([...accountAccesses], {
        description:
          '`observe`: Muster only reads. `manage`: people with the permission can also start, stop, change and delete servers.',
      }),
    },
    max_actions: number('Actions that run at once', filterable),
    request_timeout: number('Seconds that one request to the source may take', filterable),
    mapping: object('Rules that assign servers to projects', Type.Array(AccountRule), []),
    status: {
      ...enumeration('Status', filterable),
      schema: Type.Enum([...accountStatuses], {
        description:
          '`init`: not synced yet. `connected`: the last sync succeeded. `degraded`: it succeeded except for a region or a service, which `sync.warnings` names. `disconnected`: the last sync failed. `lost`: no response for three periods, so its servers are `unknown`. `disabled`: not synced. Lists sort by it in the order `lost`, `disconnected`, `degraded`, `init`, `connected`, `disabled`.',
      }),
    },
    servers: number(
      'Number of servers that the account sees, including those that belong to another account',
      filterable,
    ),
    created_at: knownTimestamp('When the account was attached', filterable),
    sync: object('State of the sync', AccountSync, noSync),
  },
} as const satisfies Resource

export const CloudAccount = wireSchema(cloudAccounts)
export type CloudAccount = Static<typeof CloudAccount>

const Credentials = Type.Record(Type.String(), Type.String({ maxLength: longestText }), {
  ...bounds,
  description: 'Stored encrypted. Never returned.',
})

export const minSyncPeriod = 5
const settable = {
  brand: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  address: Type.Optional(Type.String({ maxLength: 1024 })),
  credentials: Type.Optional(Credentials),
  options: Type.Optional(Options),
  period: Type.Optional(
    Type.Integer({
      minimum: minSyncPeriod,
      maximum: 86_400,
      description: 'Seconds between complete syncs',
    }),
  ),
  disappearance_hold: Type.Optional(DisappearanceHold),
  enabled: Type.Optional(Type.Boolean()),
  access: Type.Optional(
    Type.Enum([...accountAccesses], {
      description: 'Default: `observe`. `manage` allows actions on servers.',
    }),
  ),
  max_actions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: `Actions that run at once. Default: ${defaultMaxActions}.`,
    }),
  ),
  request_timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 300,
      description: `Seconds that one request to the source may take. Default: ${defaultRequestTimeout}.`,
    }),
  ),
  mapping: Type.Optional(Mapping),
}

const Provider = Type.String({ minLength: 1, maxLength: 64 })

export const NewCloudAccount = exactObject({
  name: NewName,
  provider: Provider,
  project_id: { ...Id, description: 'Project of servers without a matching rule' },
  ...settable,
})
export type NewCloudAccount = Static<typeof NewCloudAccount>

export const CloudAccountChanges = changesObject({
  name: Type.Optional(NewName),
  project_id: Type.Optional(Id),
  ...settable,
})
export type CloudAccountChanges = Static<typeof CloudAccountChanges>

/** An account to test without storing it. */
export const AccountToTest = exactObject({
  provider: Provider,
  address: settable.address,
  credentials: settable.credentials,
  options: settable.options,
})
export type AccountToTest = Static<typeof AccountToTest>

export const MappingPreviewRequest = exactObject({
  mapping: Mapping,
  project_id: Type.Optional({
    ...Id,
    description: "Default project to preview instead of the account's own",
  }),
})

const Owned = { id: Type.String(), name: Type.String() }

export const MappingPreview = exactObject({
  total: Type.Integer({ description: 'Number of servers of the account' }),
  moves: Type.Integer({ description: 'Number of servers that would change their project' }),
  projects: Type.Array(
    exactObject({
      project_id: Type.String(),
      project: Type.String(),
      servers: Type.Integer({
        description: 'Number of servers of the account that the project would have',
      }),
    }),
  ),
  servers: Type.Array(
    exactObject({
      ...Owned,
      from_project_id: Type.String(),
      from_project: Type.String(),
      to_project_id: Type.String(),
      to_project: Type.String(),
      rule: Type.Integer({
        description: 'Index of the matching rule, from 0. -1: no rule matches.',
      }),
    }),
    { description: 'Servers that would move, at most 100' },
  ),
})
export type MappingPreview = Static<typeof MappingPreview>

export const AccountTest = exactObject({
  ok: Type.Boolean(),
  title: Type.String({ description: 'What responded: product, version and address' }),
  servers: Type.Integer({ description: 'Number of servers that the account sees' }),
  statuses: Type.Record(Type.String(), Type.Integer()),
  sample: Type.Array(Type.String(), { description: 'Names of some of the servers' }),
  is_complete: Type.Boolean({ description: 'false: the test stopped after its time limit' }),
  actions: Type.Record(Type.String(), Type.Boolean(), {
    description:
      'Whether the credentials allow each action, if the source tells without acting. Other actions are left out.',
  }),
  error: Type.String({ description: 'What went wrong. Empty if the test succeeded.' }),
  error_field: ErrorField,
  duration_ms: Type.Integer(),
})
export type AccountTest = Static<typeof AccountTest>

const Address = exactObject({
  required: Type.Boolean(),
  description: Type.String(),
  example: Type.String(),
})

const Rights = exactObject({
  title: Type.String(),
  text: Type.String({ description: 'A policy, a role or commands, ready to paste' }),
})

export const sourceProviders = {
  key: 'provider',
  keys: 'providers',
  noun: 'CloudProvider',
  nouns: 'CloudProviders',
  one: 'a cloud provider',
  many: 'cloud providers',
  fields: {
    provider: enumeration('Name', searchable),
    title: text('Name for people', searchable),
    description: text('Description', searchable),
    address: object('Address', Address, { required: false, description: '', example: '' }),
    credentials: object('Credentials', Type.Array(FormField), []),
    options: object('Options', Type.Array(FormField), []),
    rights: object('Least permissions of the credentials', Type.Array(Rights), []),
    actions: object('Actions that servers of this provider support', Type.Array(Type.String()), []),
    action_rights: object(
      'Permissions that the credentials need for actions, in addition',
      Type.Array(Rights),
      [],
    ),
    period: number('Default number of seconds between complete syncs', filterable),
    events: boolean('Whether the source sends change events', filterable),
  },
} as const satisfies Resource

export const CloudProvider = wireSchema(sourceProviders)
export type CloudProvider = Static<typeof CloudProvider>
