import { Type, type Static, type TObject } from 'typebox'
import { refusal } from '../errors.ts'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import type { PolicyAction } from '../policy-enums.ts'
import { exactObject } from '../scalars.ts'
import { scopeOfOne } from '../resources/list-operations.ts'
import { Server } from '../resources/servers.ts'
import {
  ChangeConfigParameters,
  DeleteParameters,
  NoParameters,
  ResetParameters,
  RestartParameters,
  StartParameters,
  StopParameters,
  UpdateParameters,
} from './action-parameters.ts'
import { serverExample } from './examples.ts'

/** What can be done with a server. */
export const serverActions = [
  'start',
  'stop',
  'restart',
  'reset',
  'suspend',
  'resume',
  'change-config',
  'update',
  'delete',
  'cancel-delete',
  'purge',
] as const
export type ServerAction = (typeof serverActions)[number]

/** The parameters of each action. */
export const actionParameters = {
  start: StartParameters,
  stop: StopParameters,
  restart: RestartParameters,
  reset: ResetParameters,
  suspend: NoParameters,
  resume: NoParameters,
  'change-config': ChangeConfigParameters,
  update: UpdateParameters,
  delete: DeleteParameters,
  'cancel-delete': NoParameters,
  purge: NoParameters,
} as const satisfies Record<ServerAction, TObject>

const common = { ...platformDefaults, tag: 'Actions' } as const

/** The permission that an action needs. */
export const permissionOfAction = <const Action extends PolicyAction>(action: Action) =>
  ({
    service: 'compute',
    resource: 'servers',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

export const maxIdempotencyKeyLength = 255

const headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxIdempotencyKeyLength,
      description:
        'A repeated request with the same key, within 24 hours, does not act again: it returns the task of the first one.',
    }),
  ),
  'if-match': Type.Optional(
    Type.String({
      maxLength: 64,
      description: '`"v<update_version>"`: refused with 412 if the server has changed since',
    }),
  ),
})

const privateHeaders = {
  'Cache-Control': '`private, no-cache`',
  Vary: '`X-Auth-Token, Accept, Accept-Encoding`',
}

const responses = {
  200: {
    description:
      'The server as it is now. Without `X-Task-Id` nothing had to be done, or it was done at once.',
    body: exactObject({ server: Server }),
    headers: {
      ...privateHeaders,
      'X-Task-Id': 'Id of the task that carries out the action',
      Location: 'Address of the task',
    },
    example: serverExample,
  },
} as const

const taskNote =
  'Muster acts in the background: follow the task in `Location`. Needs a cloud account with `access: manage`.'

const action = <
  const Id extends string,
  const Name extends ServerAction,
  Permission extends PolicyAction,
  Parameters extends TObject,
>(
  id: Id,
  name: Name,
  permission: Permission,
  server: Parameters,
  summary: string,
  description: string,
) =>
  ({
    id,
    method: 'POST',
    path: `/servers/{id}/${name}` as const,
    ...common,
    permission: permissionOfAction(permission),
    summary,
    description,
    headers,
    hasOptionalBody: true,
    body: exactObject({ server: Type.Optional(server) }),
    example: { server: {} },
    responses,
  }) as const

export const ServerActions = exactObject({
  actions: exactObject(
    Object.fromEntries(
      serverActions.map((name) => [
        name,
        exactObject({
          allowed: Type.Boolean(),
          reason: Type.String({ description: 'Why not; empty if the action is allowed' }),
          ...refusal,
        }),
      ]),
    ) as Record<ServerAction, typeof AllowedAction>,
  ),
})
const AllowedAction = exactObject({ allowed: Type.Boolean(), reason: Type.String(), ...refusal })
export type ServerActions = Static<typeof ServerActions>

/** The operations that change servers at their source. */
export const serverActionOperations = [
  action(
    'startServer',
    'start',
    'perform.start',
    StartParameters,
    'Start a server',
    `From \`ready\` (stopped) to \`running\`. ${taskNote}`,
  ),
  action(
    'stopServer',
    'stop',
    'perform.stop',
    StopParameters,
    'Stop a server',
    `Asks the guest to shut down. With \`is_force\` the server is switched off if the guest does not do so in time. ${taskNote}`,
  ),
  action(
    'restartServer',
    'restart',
    'perform.restart',
    RestartParameters,
    'Restart a server',
    `Asks the guest to restart, or stops and starts the server. ${taskNote}`,
  ),
  action(
    'resetServer',
    'reset',
    'perform.reset',
    ResetParameters,
    'Reset a server',
    `Like a reset button: the guest is not asked. ${taskNote}`,
  ),
  action('suspendServer', 'suspend', 'perform.suspend', NoParameters, 'Suspend a server', taskNote),
  action('resumeServer', 'resume', 'perform.resume', NoParameters, 'Resume a server', taskNote),
  action(
    'changeServerConfig',
    'change-config',
    'perform.change-config',
    ChangeConfigParameters,
    'Resize a server',
    `Changes vCPUs and memory, or the instance type, as the source can. ${taskNote}`,
  ),
  action(
    'cancelServerDeletion',
    'cancel-delete',
    'delete',
    NoParameters,
    'Restore a server from the recycle bin',
    'The server is listed again. It stays stopped.',
  ),
  action(
    'purgeServer',
    'purge',
    'delete',
    NoParameters,
    'Remove a server from Muster',
    'Removes only the record in Muster. Allowed if the account is gone, or if its last complete scan did not find the server.',
  ),
  {
    id: 'updateServer',
    method: 'PUT',
    path: '/servers/{id}',
    ...common,
    permission: permissionOfAction('update'),
    summary: 'Update a server',
    description: `\`description\` and \`disable_delete: true\` are stored in Muster at once. Other fields are changed at the source by a task. ${taskNote}`,
    headers,
    body: exactObject({ server: UpdateParameters }),
    example: { server: { description: 'Build server' } },
    responses,
  },
  {
    id: 'deleteServer',
    method: 'DELETE',
    path: '/servers/{id}',
    ...common,
    permission: permissionOfAction('delete'),
    summary: 'Delete a server',
    description: `Stops the server and moves it to the recycle bin. Muster deletes it at the source later, at \`auto_delete_at\`. With \`override_pending_delete=true\` it is deleted at once. ${taskNote}`,
    headers,
    query: DeleteParameters,
    responses,
  },
  {
    id: 'getServerActions',
    method: 'GET',
    path: '/servers/{id}/actions',
    ...common,
    permission: permissionOfAction('get'),
    summary: 'List what can be done with a server',
    description:
      'Whether you can perform each action now, and why not. The same rules decide about the action itself. An action that needs a parameter, such as `is_force`, counts as allowed.',
    query: exactObject({ scope: scopeOfOne }),
    responses: {
      200: {
        description: 'Every action',
        body: ServerActions,
        headers: privateHeaders,
        example: {
          actions: Object.fromEntries(
            serverActions.map((name) => [
              name,
              name === 'start'
                ? { allowed: false, reason: 'The server is running. "start" needs: stopped.' }
                : { allowed: true, reason: '' },
            ]),
          ),
        },
      },
    },
  },
] as const satisfies readonly Operation[]
