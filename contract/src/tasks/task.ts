import { Type, type Static } from 'typebox'
import { ErrorValues } from '../errors.ts'
import {
  enumeration,
  filterable,
  knownTimestamp,
  number,
  object,
  searchable,
  text,
  timestamp,
  wireSchema,
  type Resource,
} from '../resources/resource.ts'
import { serverActions } from '../servers/actions.ts'
import { taskStatuses } from '../statuses.ts'

/** Why a task did not succeed; empty if it did, or has not ended. */
export const taskErrorClasses = [
  '',
  'cancelled',
  'refused',
  'permission_lost',
  'not_reached',
  'source_refused',
  'source_failed',
  'no_answer',
  'guest_did_not_stop',
  'time_limit',
  'server_gone',
  'interrupted',
] as const
export type TaskErrorClass = (typeof taskErrorClasses)[number]

const Parameters = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Integer(), Type.Boolean()]),
)
export type TaskParameters = Static<typeof Parameters>

/** An action on a server that Muster carries out in the background. */
export const tasks = {
  key: 'task',
  keys: 'tasks',
  noun: 'Task',
  nouns: 'Tasks',
  one: 'a task',
  many: 'tasks',
  fields: {
    id: text('Id', filterable),
    action: {
      ...enumeration('Action on the server', filterable),
      schema: Type.Enum([...serverActions]),
    },
    params: object('Parameters of the action', Parameters, {}),
    server_id: text('Id of the server', filterable),
    server: text('Name of the server when the task was accepted', searchable),
    account_id: text('Id of the cloud account', filterable),
    project_id: text('Project of the server when the task was accepted', filterable),
    user_id: text('Id of the user who requested it', filterable),
    user: text('Name of the user', searchable),
    status: {
      ...enumeration('Status', filterable),
      schema: Type.Enum([...taskStatuses], {
        description:
          '`queued`: waits for its turn. `running`. `succeeded`: the source shows the result. `failed`: it was not done. `cancelled`: it was not sent. `unknown`: it was sent, and its outcome is not known.',
      }),
    },
    stage: text('What is being done, such as `stop` or `waiting for stop`', filterable),
    progress: number('Percent', filterable),
    error: text('Why it failed; empty if it did not', searchable),
    error_class: {
      ...enumeration('Kind of the error', filterable),
      schema: Type.Enum([...taskErrorClasses], {
        description:
          '`cancelled`: before it was sent. `refused`: the server or the account had changed when the task started. `permission_lost`: by the user, or the server was moved. `not_reached`: the source could not be reached, so the request was not sent. `source_refused`: by the source, which did nothing. `source_failed`: the source began and did not complete it. `no_answer`: the source did not answer, or answered with an error of its own. `guest_did_not_stop`: the source asked the guest, which kept running. `time_limit`: the time limit of the task is over. `server_gone`: the source no longer has the server. `interrupted`: Muster or the account was stopped after the request was sent. Empty without an error.',
      }),
    },
    error_values: object(
      'What the error is about: `request` is the name of the request at the source, `answer` what the source said, `status` what the server showed, `seconds` the time that the guest had. `done` and `remaining` list requests, if only some were carried out.',
      ErrorValues,
      {},
    ),
    batch_id: text('Id of the batch; empty for a single task', filterable),
    created_at: knownTimestamp('When it was accepted', filterable),
    started_at: timestamp('When it started', filterable),
    finished_at: timestamp('When it ended', filterable),
    request_id: text('`X-Request-Id` of the request', filterable),
  },
} as const satisfies Resource

export const Task = wireSchema(tasks)
export type Task = Static<typeof Task>
