import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { PermissionLevel, Operation } from '../operation.ts'
import { exactObject, sameType } from '../scalars.ts'

const count = Type.Integer({ minimum: 0 })

export const Impact = exactObject(
  sameType(
    [
      'projects',
      'servers',
      'users',
      'groups',
      'assignments',
      'access_keys',
      'identity_providers',
      'default_projects',
      'service_accounts',
      'tokens',
    ],
    count,
  ),
)
export type Impact = Static<typeof Impact>

/** What disabling or deleting something would affect. */
export const impactOperation = <const Noun extends string, const Keys extends string>(
  noun: Noun,
  keys: Keys,
  one: string,
  at: readonly PermissionLevel[],
) =>
  ({
    id: `get${noun}Impact`,
    method: 'GET',
    path: `/v3/${keys}/{id}/impact`,
    ...identityDefaults,
    permission: { service: 'identity', resource: keys, action: 'get', at },
    tag: `${noun}s`,
    summary: `Show what disabling or deleting ${one} affects`,
    description:
      'Counts what is affected. Changes nothing. Disabling revokes the `tokens` and blocks new logins until it is enabled again. Deleting also removes `assignments` and `access_keys`; for a domain also `projects`, `users`, `groups` and `identity_providers`. A project or domain with `servers`, including those in the recycle bin, cannot be deleted. For a project, `users` and `groups` count those with a role in it; for a user, `groups` counts memberships. `default_projects` counts users who lose their default project, `service_accounts` those that remain without an owner.',
    responses: {
      200: {
        description: 'Number of affected items by type',
        body: exactObject({ impact: Impact }),
        example: {
          impact: {
            projects: 0,
            servers: 0,
            users: 4,
            groups: 1,
            assignments: 7,
            access_keys: 2,
            identity_providers: 0,
            default_projects: 1,
            service_accounts: 1,
            tokens: 9,
          },
        },
      },
    },
  }) as const satisfies Operation
