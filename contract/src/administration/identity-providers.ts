import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { changesObject, exactObject, Id, NewName } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  object,
  text,
  wireSchema,
  computed,
  type AdministeredResource,
} from '../resources/resource.ts'
import { idAndName, links, resourceOperations } from './resource-operations.ts'

const Address = Type.String({ minLength: 1, maxLength: 1024, description: 'An HTTPS URL' })

/** The options of a CAS server, which are fields of the provider beside `options`. */
export const flatProviderOptions = {
  url: Address,
  service_url: Address,
  protocol: Type.Enum([2, 3]),
  ca: Type.String({ maxLength: 8192 }),
}

/** The driver of the server knows which there are. */
export const ProviderOptions = Type.Record(
  Type.String({ pattern: '^[a-z][a-z_]{0,63}$' }),
  Type.Union([Type.String({ maxLength: 8192 }), Type.Integer(), Type.Boolean()]),
  { additionalProperties: false, maxProperties: 30 },
)

const MappingRule = exactObject({
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
  pattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'Instead of `value`: pattern that one of the attribute values must match as a whole. `*` matches any characters, also none.',
    }),
  ),
  role_id: Id,
  project_id: Type.Optional(Id),
  domain_id: Type.Optional(Id),
})
export type MappingRule = Static<typeof MappingRule>

export const Mapping = Type.Array(MappingRule, { maxItems: 100 })

export const identityProviders = {
  ...administrationNames.identity_providers,
  visibility: { domain: { domain: 'domain_id' }, project: 'none' },
  uniqueName: 'everywhere',
  fields: {
    ...idAndName,
    driver: enumeration('`cas`, `oidc`, `ldap` or `workload`', filterable),
    options: object('Options of the driver, without the secret ones', ProviderOptions, {}),
    url: computed(object('`options.url`: address of the CAS server', Type.String(), '')),
    service_url: computed(
      object('`options.service_url`: address that CAS tickets are issued for', Type.String(), ''),
    ),
    protocol: computed(
      object('`options.protocol`: version of the CAS protocol', Type.Enum([2, 3]), 3),
    ),
    domain_id: text('Id of the domain of its users', filterable),
    enabled: boolean('Whether users can log in with it', filterable, true),
    ca: computed(
      object(
        '`options.ca`: CA certificate in PEM. Empty: the public certificate authorities.',
        Type.String(),
        '',
      ),
    ),
    mapping: object('Roles by attributes of the user', Type.Array(MappingRule), []),
    created_at: knownTimestamp('When the identity provider was created', filterable),
    links,
  },
  columns: ['name', 'driver', 'domain_id', 'enabled', 'created_at'],
  // The options follow from the driver.
  form: {
    fields: ['name', 'driver', 'domain_id'],
    required: ['name', 'driver', 'domain_id'],
    once: ['driver', 'domain_id'],
  },
} as const satisfies AdministeredResource

export const IdentityProviderDto = wireSchema(identityProviders)
export type IdentityProviderDto = Static<typeof IdentityProviderDto>

const settable = {
  enabled: Type.Optional(Type.Boolean()),
  options: Type.Optional(ProviderOptions),
  url: Type.Optional(flatProviderOptions.url),
  service_url: Type.Optional(flatProviderOptions.service_url),
  protocol: Type.Optional(flatProviderOptions.protocol),
  ca: Type.Optional(flatProviderOptions.ca),
  mapping: Type.Optional(Mapping),
}

const view = {
  id: example.providerId,
  name: 'campus',
  driver: 'cas',
  options: {
    url: 'https://cas.example.org/cas',
    service_url: 'https://muster.example.org/api/session/cas',
    protocol: 3,
    ca: '',
  },
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

export const identityProviderOperations = resourceOperations(identityProviders, {
  tag: 'Identity providers',
  create: exactObject({
    name: NewName,
    driver: Type.String({ minLength: 1, maxLength: 64 }),
    domain_id: Id,
    ...settable,
  }),
  update: changesObject({
    name: Type.Optional(NewName),
    ...settable,
  }),
  at: { read: ['system', 'domain'], write: ['system'] },
  notes: {
    create:
      'A CAS, OpenID Connect or LDAP server, which Muster contacts over TLS. See `docs/signing-in.md` for the `options` of each driver. Those of CAS can also be fields of the provider: `url` is the address of the server; tickets must be issued for `service_url`, for console logins `/api/session/providers/{id}/callback` of this server, or `/api/session/cas` if it is the only CAS provider. The first login creates a user in the domain. Every login applies the mapping: roles that it no longer assigns are revoked.',
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
