import { Type, type Static } from 'typebox'
import { listQuery, resourceOperations, SelfLink } from '../resource.ts'
import { exactObject, Id, Name, NewName, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

const Address = Type.String({ minLength: 1, maxLength: 1024, description: 'An HTTPS URL' })

export const MappingRule = exactObject({
  attribute: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Attribute that the provider sends. Without it the rule applies to every user.',
    }),
  ),
  value: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'Exact value that one of the attribute values must have',
    }),
  ),
  role_id: Id,
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
})
export type MappingRule = Static<typeof MappingRule>

export const IdentityProviderDto = exactObject({
  id: Type.String(),
  name: Type.String(),
  driver: Type.Literal('cas'),
  url: Type.String(),
  service_url: Type.String(),
  protocol: Type.Enum([2, 3]),
  domain_id: Type.String(),
  enabled: Type.Boolean(),
  ca: Type.String({
    description: 'CA certificate in PEM. Empty: the public certificate authorities.',
  }),
  mapping: Type.Array(MappingRule),
  created_at: Timestamp,
  links: SelfLink,
})
export type IdentityProviderDto = Static<typeof IdentityProviderDto>

const settable = {
  enabled: Type.Optional(Type.Boolean()),
  protocol: Type.Optional(Type.Enum([2, 3])),
  ca: Type.Optional(Type.String({ maxLength: 8192 })),
  mapping: Type.Optional(Type.Array(MappingRule, { maxItems: 100 })),
}

const view = {
  id: example.providerId,
  name: 'campus',
  driver: 'cas',
  url: 'https://cas.example.org/cas',
  service_url: 'https://muster.example.org/api/session/cas',
  protocol: 3,
  domain_id: example.domainId,
  enabled: true,
  ca: '',
  mapping: [
    {
      attribute: 'groups',
      value: 'staff',
      role_id: example.roleId,
      project_id: example.projectId,
    },
  ],
  created_at: exampleTimestamp,
  links: { self: example.self('identity_providers', example.providerId) },
}

export const identityProviderOperations = resourceOperations({
  noun: 'IdentityProvider',
  nouns: 'IdentityProviders',
  key: 'identity_provider',
  keys: 'identity_providers',
  one: 'an identity provider',
  many: 'identity providers',
  tag: 'Identity providers',
  view: IdentityProviderDto,
  create: exactObject({
    name: NewName,
    driver: Type.Enum(['cas']),
    url: Address,
    service_url: Address,
    domain_id: Id,
    ...settable,
  }),
  update: Type.Object(
    {
      name: Type.Optional(NewName),
      url: Type.Optional(Address),
      service_url: Type.Optional(Address),
      ...settable,
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  query: listQuery(['name', 'created_at', 'enabled'], {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean()),
    domain_id: Type.Optional(Id),
  }),
  at: { read: ['system', 'domain'], write: ['system'] },
  notes: {
    create:
      'A CAS server. `url` is its address; Muster contacts it over TLS. Tickets must be issued for `service_url`; for console logins that is `/api/session/cas` of this server. The first login creates a user in the domain. Every login applies the mapping: roles that it no longer assigns are revoked.',
    update: 'Disabling the provider revokes all tokens that were issued through it.',
    delete:
      'Revokes all tokens that were issued through the provider and the roles that its mapping assigned. The users remain.',
  },
  examples: {
    view,
    create: {
      name: view.name,
      driver: view.driver,
      url: view.url,
      service_url: view.service_url,
      domain_id: view.domain_id,
      mapping: view.mapping,
    },
    update: { enabled: false },
  },
})
