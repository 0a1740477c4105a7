import { Type, type Static } from 'typebox'
import {
  enumeration,
  filterable,
  knownTimestamp,
  number,
  object,
  text,
  timestamp,
  wireProperties,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { exactObject } from '../scalars.ts'
import { serverActions } from '../servers/actions.ts'
import { batchStatuses } from '../statuses.ts'
import { maxBatchSize, selectedServers, selectionOutcomes } from './selected-servers.ts'
import type { TaskParameters } from './task.ts'

export const defaultParallel = 10

/** Unfinished batches of a user. */
export const maxUnfinishedBatches = 10

/** Failures in a row after which a batch stops. */
export const defaultMaxFailures = 10

const Value = Type.Union([Type.String({ maxLength: 1024 }), Type.Integer(), Type.Boolean()])

/** Checked against the parameters of the action. */
const Parameters = Type.Record(Type.String(), Value, {
  additionalProperties: false,
  maxProperties: 16,
  propertyNames: { minLength: 1, maxLength: 64 },
  description: 'Parameters of the action',
})

/** One action on many servers. */
export const batches = {
  key: 'batch',
  keys: 'batches',
  noun: 'Batch',
  nouns: 'Batches',
  one: 'a batch',
  many: 'batches',
  fields: {
    id: text('Id', filterable),
    action: {
      ...enumeration('Action on the servers', filterable),
      schema: Type.Enum([...serverActions]),
    },
    params: object('Parameters of the action', Parameters, {}),
    status: {
      ...enumeration('Status', filterable),
      schema: Type.Enum([...batchStatuses], {
        description:
          '`running`, `finished`, `stopped` (too many failures in a row) or `cancelled`. Tasks that were already sent still end.',
      }),
    },
    total: number('Number of servers', filterable),
    queued: number('Tasks that wait', filterable),
    running: number('Tasks that are running', filterable),
    succeeded: number('Tasks that succeeded, and servers that needed no change', filterable),
    failed: number('Tasks that failed', filterable),
    refused: number('Servers for which the action was refused', filterable),
    cancelled: number('Tasks that were cancelled', filterable),
    unknown: number('Tasks whose outcome is unknown', filterable),
    matched: text('Hash of the ids of the servers', filterable),
    user_id: text('Id of the user who requested it', filterable),
    user: text('Name of the user', filterable),
    created_at: knownTimestamp('When it was accepted', filterable),
    finished_at: timestamp('When its last task ended', filterable),
  },
} as const satisfies Resource

export const Batch = wireSchema(batches)
export type Batch = Static<typeof Batch>

/** With the servers that have no task, because they do not exist for the caller. */
export const BatchDetails = exactObject({
  ...wireProperties(batches),
  refusals: Type.Array(exactObject({ server_id: Type.String(), reason: Type.String() }), {
    description:
      'Ids that do not exist or that you cannot see. They are counted in `refused` and have no task.',
  }),
})
export type BatchDetails = Static<typeof BatchDetails>

export const BatchRequest = exactObject({
  action: Type.Enum([...serverActions]),
  ...selectedServers({
    q: 'Search query as in `GET /servers`, by default in the scope of your token. It is resolved once, when the batch is accepted.',
    matched:
      'From a dry run: the batch is refused if it would act on other servers. Required for `delete`.',
  }),
  params: Type.Optional(Parameters),
  max_parallel: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: `Tasks that run at once. Default: ${defaultParallel}.`,
    }),
  ),
  max_failures: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxBatchSize,
      description: `Failures in a row after which the batch stops. Default: ${defaultMaxFailures}. 0: never.`,
    }),
  ),
})
export type BatchRequest = Static<typeof BatchRequest>

/** What a dry run says about one server. */
export const BatchPreview = exactObject({
  action: Type.Enum([...serverActions]),
  ...selectionOutcomes(
    Type.Enum(['act', 'already', 'refused'], {
      description:
        '`act`: the action would be performed. `already`: nothing to do. `refused`: see `reason`.',
    }),
  ),
})
export type BatchPreview = Static<typeof BatchPreview>

export type BatchParameters = TaskParameters
