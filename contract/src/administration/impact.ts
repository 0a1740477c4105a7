import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Level, Operation } from '../operation.ts'
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
      'tokens',
    ],
    count,
  ),
)
export type Impact = Static<typeof Impact>

/** "What would go with it?", to be asked before something is disabled or deleted. */
export const impactOperation = <const Noun extends string, const Keys extends string>(
  noun: Noun,
  keys: Keys,
  one: string,
  at: readonly Level[],
) =>
  ({
    id: `get${noun}Impact`,
    method: 'GET',
    path: `/v3/${keys}/{id}/impact`,
    ...identityDefaults,
    permission: { service: 'identity', resource: keys, action: 'get', at },
    tag: `${noun}s`,
    summary: `Say what disabling or deleting ${one} would touch`,
    description:
      'Disabled: these tokens end at once, and nobody gets a new one until it is enabled again. Deleted: its assignments and access keys go for good, and with a domain also its projects, users, groups and identity providers. `servers` go nowhere, so a project or a domain that has some, be it in the recycle bin, cannot be deleted. The `users` and `groups` of a project, and the `groups` of a user, are those who lose each other. `default_projects` are users who have to choose another. Nothing is changed by asking.',
    responses: {
      200: {
        description: 'How much hangs on it',
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
            tokens: 9,
          },
        },
      },
    },
  }) as const satisfies Operation
