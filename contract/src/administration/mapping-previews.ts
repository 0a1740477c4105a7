import { Type, type Static, type TSchema } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { example } from './examples.ts'
import { Mapping } from './identity-providers.ts'

const text = Type.String()

/** Levels of objects in claims, such as `resource_access.app.roles` of Keycloak. */
const claimLevels = 3

const claimsOf = (value: TSchema) =>
  Type.Unsafe<Record<string, unknown>>(
    Type.Record(Type.String(), value, {
      additionalProperties: false,
      maxProperties: 200,
      propertyNames: { minLength: 1, maxLength: 255 },
    }),
  )

const ClaimText = Type.Union([
  Type.String({ maxLength: 8192 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
])

function ClaimValue(levels: number): TSchema {
  const item = levels === 0 ? ClaimText : Type.Union([ClaimText, claimsOf(ClaimValue(levels - 1))])
  return Type.Union([item, Type.Array(item, { maxItems: 2_000 })])
}

const LoginPreviewRequest = exactObject({
  mapping: Type.Optional({
    ...Mapping,
    description: 'Rules to preview instead of the stored ones',
  }),
  claims: Type.Optional({
    ...claimsOf(ClaimValue(claimLevels)),
    description:
      'What the provider says about the person. `oidc`: the claims of an ID token. `cas`: `user` and the attributes. `ldap`: the attributes of `id_attribute` and `name_attribute`, `groups` and `group_dns`.',
  }),
  login_name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Instead of `claims`: look somebody up by the name with which they log in',
    }),
  ),
})
export type LoginPreviewRequest = Static<typeof LoginPreviewRequest>

const Target = {
  role_id: text,
  role: text,
  project_id: text,
  project: text,
  domain_id: text,
  domain: text,
}

const LoginPreview = exactObject({
  user: exactObject({
    result: Type.Enum(['create', 'existing', 'refused'], {
      description:
        '`create`: the login creates this user. `existing`: it is a login of this user. `refused`: see `problem`.',
    }),
    problem: Type.String({ description: 'Why the login is refused, otherwise empty' }),
    id: Type.String({ description: 'Empty without an existing user' }),
    name: text,
    displayname: text,
    email: text,
    subject: Type.String({ description: 'Key of the person at the provider' }),
  }),
  attributes: Type.Array(exactObject({ name: text, values: Type.Array(text) }), {
    description: 'What the rules of the mapping see',
  }),
  assignments: Type.Array(
    exactObject({
      ...Target,
      result: Type.Enum(['grant', 'keep', 'revoke'], {
        description:
          '`grant`: the login assigns the role. `keep`: the user has it. `revoke`: the mapping assigned it before, and no rule does now.',
      }),
      rules: Type.Array(Type.Integer(), { description: 'Indexes of the rules, from 0' }),
    }),
    { description: 'The roles of the mapping. Empty if the login is refused.' },
  ),
  rules: Type.Array(
    exactObject({
      ...Target,
      result: Type.Enum(['match', 'no_match', 'broken'], {
        description: '`broken`: the role, the project or the domain no longer exists',
      }),
      attribute: Type.String({ description: 'Empty for a rule that applies to everybody' }),
      value: Type.String({ description: 'The value or the pattern of the rule' }),
      matched: Type.String({
        description: 'The value of the person that matches, otherwise empty',
      }),
    }),
    { description: 'All rules, in the order of the mapping' },
  ),
})
export type LoginPreview = Static<typeof LoginPreview>

const target = {
  role_id: example.roleId,
  role: 'project_editor',
  project_id: example.projectId,
  project: 'genome',
  domain_id: example.domainId,
  domain: 'research',
}

export const mappingPreviewOperations = [
  {
    id: 'previewIdentityProviderMapping',
    method: 'POST',
    path: '/v3/identity_providers/{id}/mapping/preview',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'identity_providers',
      action: 'update',
      at: ['system'],
    },
    tag: 'Identity providers',
    summary: 'Preview the login of a person',
    description:
      'Which user somebody would be, and which roles the mapping would give, by which rule. Send `claims`, or `login_name` where the driver has `person_lookup`. Changes nothing, also not the user. A look-up is in the activity log.',
    body: LoginPreviewRequest,
    example: { claims: { sub: 'f81d4fae', preferred_username: 'ada', groups: ['staff'] } },
    responses: {
      200: {
        description: 'The preview',
        body: exactObject({ preview: LoginPreview }),
        example: {
          preview: {
            user: {
              result: 'create',
              problem: '',
              id: '',
              name: 'ada',
              displayname: '',
              email: '',
              subject: 'f81d4fae',
            },
            attributes: [{ name: 'groups', values: ['staff'] }],
            assignments: [{ ...target, result: 'grant', rules: [0] }],
            rules: [
              { ...target, result: 'match', attribute: 'groups', value: 'staff', matched: 'staff' },
            ],
          },
        },
      },
    },
  },
] as const satisfies readonly Operation[]
