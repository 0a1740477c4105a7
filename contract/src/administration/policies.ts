import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { cloudpodsNote } from '../paging.ts'
import { policyActions, levels, policyServices } from '../policy-enums.ts'
import { changesObject, exactObject, NewName } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  object,
  wireSchema,
  type AdministeredResource,
} from '../resources/resource.ts'
import { idAndName, links, resourceOperations } from './resource-operations.ts'

const Resource = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: String.raw`^(\*|[a-z][a-z0-9_]*)$`,
  description: 'A resource as in the paths, such as `users` or `servers`; `*` for all',
})

export const PolicyRule = exactObject({
  service: Type.Enum([...policyServices, '*']),
  resource: Resource,
  action: Type.Enum([...policyActions, '*']),
  effect: Type.Enum(['allow', 'deny']),
})
export type PolicyRule = Static<typeof PolicyRule>

export const policies = {
  ...administrationNames.policies,
  visibility: { domain: 'all', project: 'all' },
  uniqueName: 'everywhere',
  fields: {
    ...idAndName,
    scope: {
      ...enumeration('Where the rules apply', filterable),
      schema: Type.Enum([...levels]),
    },
    enabled: boolean('Whether the rules apply', filterable, true),
    rules: object('Rules', Type.Array(PolicyRule), []),
    created_at: knownTimestamp('When the policy was created', filterable),
    links,
  },
  columns: ['name', 'scope', 'rules', 'enabled', 'created_at'],
  form: {
    fields: ['name', 'scope', 'rules'],
    required: ['name', 'scope', 'rules'],
    once: ['scope'],
  },
} as const satisfies AdministeredResource

export const PolicyDto = wireSchema(policies)
export type PolicyDto = Static<typeof PolicyDto>

const Rules = Type.Array(PolicyRule, { minItems: 1, maxItems: 200 })

export const policyExample = {
  id: example.policyId,
  name: 'tag_servers',
  scope: 'project',
  enabled: true,
  rules: [
    { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' },
    { service: 'compute', resource: 'servers', action: 'update', effect: 'allow' },
  ],
  created_at: exampleTimestamp,
  links: { self: example.self('policies', example.policyId) },
}

const Reason = exactObject(
  {
    level: Type.Enum([...levels]),
    policy: exactObject({ id: Type.String(), name: Type.String() }),
    rule: PolicyRule,
    role: exactObject({ id: Type.String(), name: Type.String() }),
    group: Type.Union([exactObject({ id: Type.String(), name: Type.String() }), Type.Null()]),
  },
  {
    description:
      'The rule that decided, and the role (and group) through which it applies to the user',
  },
)

export const PolicyCheckRequest = exactObject({
  check: exactObject({
    user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Default: you',
      }),
    ),
    project_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Check with a token for this project',
      }),
    ),
    domain_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Check with a token for this domain',
      }),
    ),
    service: Type.Enum([...policyServices]),
    resource: Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]*$' }),
    action: Type.Enum([...policyActions]),
    target_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Id of the target. Default: any target.',
      }),
    ),
  }),
})
export type PolicyCheckRequest = Static<typeof PolicyCheckRequest>

export const PolicyCheckDto = exactObject({
  allowed: Type.Boolean(),
  reason: Type.String({ description: 'Explanation for people' }),
  reach: Type.Union([Type.Enum([...levels, 'self']), Type.Null()], {
    description: 'Scope of the permission. null: not permitted.',
  }),
  decided_by: Type.Union([Reason, Type.Null()]),
})
export type PolicyCheckDto = Static<typeof PolicyCheckDto>

export const policyOperations = [
  ...resourceOperations(policies, {
    tag: 'Policies',
    create: exactObject({
      name: NewName,
      scope: Type.Enum([...levels]),
      enabled: Type.Optional(Type.Boolean()),
      rules: Rules,
    }),
    update: changesObject({
      name: Type.Optional(NewName),
      enabled: Type.Optional(Type.Boolean()),
      rules: Type.Optional(Rules),
    }),
    at: { read: ['system', 'domain', 'project'], write: ['system'] },
    ignored: {
      format: Type.Optional(Type.Enum(['json', 'yaml'], { description: cloudpodsNote })),
    },
    notes: {
      list: 'Every user sees all policies. `scope` filters by the scope of the policy; `max` is all.',
      create:
        'The most specific matching rule applies; deny wins over allow. Actions without a matching rule are denied. You can allow only what you are permitted to do yourself.',
      update: 'Takes effect with the next request. `scope` cannot be changed.',
    },
    examples: {
      view: policyExample,
      create: {
        name: policyExample.name,
        scope: policyExample.scope,
        rules: policyExample.rules,
      },
      update: { enabled: false },
    },
  }),
  {
    id: 'checkPolicy',
    method: 'POST',
    path: '/v3/policies/check',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'policies',
      action: 'perform',
      at: ['system', 'domain', 'self'],
    },
    tag: 'Policies',
    summary: 'Check a permission',
    description:
      'Shows whether a user may perform an action in a scope, and which rule decides. You can always check your own permissions. If several operations need the same permission, the largest scope counts. Granting roles is additionally limited to permissions that the user has.',
    body: PolicyCheckRequest,
    example: {
      check: {
        user_id: example.userId,
        project_id: example.projectId,
        service: 'identity',
        resource: 'users',
        action: 'create',
      },
    },
    responses: {
      200: {
        description: 'The decision',
        body: exactObject({ check: PolicyCheckDto }),
        example: {
          check: {
            allowed: false,
            reason: 'No policy of the user in this scope has a matching rule.',
            reach: null,
            decided_by: null,
          },
        },
      },
    },
  },
] as const satisfies readonly Operation[]
