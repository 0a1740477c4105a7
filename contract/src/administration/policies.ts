import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { policyActions, policyScopes, policyServices } from '../policy-enums.ts'
import { listQuery, resourceOperations, SelfLink } from '../resource.ts'
import { exactObject, Name, NewName, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

const Resource = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: String.raw`^(\*|[a-z][a-z0-9_]*)$`,
  description: 'A resource as in the paths (`users`, `servers`), or `*` for all',
})

export const PolicyRule = exactObject({
  service: Type.Enum([...policyServices, '*']),
  resource: Resource,
  action: Type.Enum([...policyActions, '*']),
  effect: Type.Enum(['allow', 'deny']),
})
export type PolicyRule = Static<typeof PolicyRule>

export const PolicyDto = exactObject({
  id: Type.String(),
  name: Type.String(),
  scope: Type.Enum([...policyScopes]),
  enabled: Type.Boolean(),
  rules: Type.Array(PolicyRule),
  created_at: Timestamp,
  links: SelfLink,
})
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
    level: Type.Enum([...policyScopes]),
    policy: exactObject({ id: Type.String(), name: Type.String() }),
    rule: PolicyRule,
    role: exactObject({ id: Type.String(), name: Type.String() }),
    group: Type.Union([exactObject({ id: Type.String(), name: Type.String() }), Type.Null()]),
  },
  { description: 'The rule that decided, and the role through which it reaches the user' },
)

export const PolicyCheckRequest = exactObject({
  check: exactObject({
    user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Yourself unless you say otherwise',
      }),
    ),
    project_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'With a token for this project' }),
    ),
    domain_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'With a token for this domain' }),
    ),
    service: Type.Enum([...policyServices]),
    resource: Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]*$' }),
    action: Type.Enum([...policyActions]),
    target_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'On this one of them; without it, on any',
      }),
    ),
  }),
})
export type PolicyCheckRequest = Static<typeof PolicyCheckRequest>

export const PolicyCheckDto = exactObject({
  allowed: Type.Boolean(),
  /** In a sentence, for people. */
  reason: Type.String(),
  reach: Type.Union([Type.Enum([...policyScopes, 'self']), Type.Null()], {
    description: 'How far the right carries; null where there is none',
  }),
  decided_by: Type.Union([Reason, Type.Null()]),
})
export type PolicyCheckDto = Static<typeof PolicyCheckDto>

export const policyOperations = [
  ...resourceOperations({
    noun: 'Policy',
    nouns: 'Policies',
    key: 'policy',
    keys: 'policies',
    one: 'a policy',
    many: 'policies',
    tag: 'Policies',
    view: PolicyDto,
    create: exactObject({
      name: NewName,
      scope: Type.Enum([...policyScopes]),
      enabled: Type.Optional(Type.Boolean()),
      rules: Rules,
    }),
    update: Type.Object(
      {
        name: Type.Optional(NewName),
        enabled: Type.Optional(Type.Boolean()),
        rules: Type.Optional(Rules),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    query: listQuery(['name', 'created_at', 'enabled'], {
      name: Type.Optional(Name),
      enabled: Type.Optional(Type.Boolean()),
      scope: Type.Optional(Type.Enum([...policyScopes])),
    }),
    at: { read: ['system', 'domain', 'project'], write: ['system'] },
    notes: {
      create:
        'Rules are taken together: the more exact one wins, deny wins a tie, and what no rule speaks of is denied. A policy cannot allow what you may not do yourself.',
      update: 'It bites at the next request of everyone who holds it. Its scope stays.',
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
    summary: 'May this user do this on that, and by which rule?',
    description:
      'Answers as the platform itself would decide at this moment, for a token of the user with the scope you name. Asked of yourself it needs no right. Where several operations need the same right the widest of them counts, and what somebody may hand out is limited besides by what they have: that is told when they try.',
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
            reason: 'No policy that the user has in this scope speaks of it.',
            reach: null,
            decided_by: null,
          },
        },
      },
    },
  },
] as const satisfies readonly Operation[]
