import { Type, type Static } from 'typebox'
import { identityDefaults, publicDefaults } from './operation-defaults.ts'
import { processRoles, type Operation } from './operation.ts'
import { domainExample, DomainDto, domains } from './administration/domains.ts'
import { listExample } from './administration/examples.ts'
import { projectExample, ProjectDto, projects } from './administration/projects.ts'
import { FirstPassword } from './administration/users.ts'
import { keystoneListBody, keystoneListQuery } from './administration/resource-operations.ts'
import { ProviderCredential, ProviderId } from './provider-credential.ts'
import { PermissionDto, permissions } from './permission.ts'
import { Id, Name, OptionalTimestamp, Timestamp, exactObject, sameType } from './scalars.ts'
import { exampleToken, exampleTokenRequest, exampleVersion } from './identity.examples.ts'

const text = Type.String()
const texts = Type.Array(text)

/** Reference with lower-case keys, as in `role_assignments` and in requests. */
const Reference = exactObject(sameType(['id', 'name'], text))
/** Something that belongs to a domain, with lower-case keys. */
const DomainMember = exactObject({ domain: Reference, id: text, name: text })
/** A project as tokens spell it: capitalized keys, but lower case inside the domain. */
const TokenProject = exactObject({ Domain: Reference, Id: text, Name: text })

export const RoleAssignment = exactObject({
  group: DomainMember,
  role: DomainMember,
  user: DomainMember,
  policies: exactObject(sameType(['domain', 'project', 'system'], texts)),
  scope: exactObject({ domain: Reference, project: DomainMember }),
})
export type RoleAssignment = Static<typeof RoleAssignment>

export const CatalogService = exactObject({
  id: text,
  name: text,
  type: text,
  endpoints: Type.Array(
    exactObject(sameType(['id', 'interface', 'name', 'region', 'region_id', 'url'], text)),
  ),
})
export type CatalogService = Static<typeof CatalogService>

export const Token = exactObject(
  {
    access_key: exactObject({ AccessKey: text, expire: Type.Integer(), secret: text }),
    catalog: Type.Array(CatalogService),
    context: exactObject(sameType(['ip', 'source'], text)),
    expires_at: Timestamp,
    issued_at: Timestamp,
    is_domain: Type.Boolean(),
    methods: texts,
    policies: exactObject(sameType(['Domain', 'Project', 'System'], texts)),
    project: TokenProject,
    projects: Type.Array(TokenProject),
    role_assignments: Type.Array(RoleAssignment),
    roles: Type.Array(Reference),
    user: exactObject({
      ...sameType(['Displayname', 'Email', 'Id', 'Mobile', 'Name'], text),
      Domain: Reference,
      PasswordExpiresAt: OptionalTimestamp,
    }),
  },
  { title: 'Token' },
)
export type Token = Static<typeof Token>

export const TokenBody = exactObject({ token: Token })

const DomainReference = exactObject(
  { id: Type.Optional(Id), name: Type.Optional(Name) },
  { title: 'DomainReference' },
)

export const TokenRequest = exactObject({
  auth: exactObject({
    context: Type.Optional(
      exactObject({
        ip: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Ignored. The server records the address of the connection.',
          }),
        ),
        source: Type.Optional(
          Type.String({
            maxLength: 64,
            description: '`web`, `api`, `cli` or `srv`. Other values count as `api`.',
          }),
        ),
      }),
    ),
    identity: exactObject({
      methods: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 1,
        description:
          'Exactly one: `password`, `token`, `aksk`, `cas`, `oidc` or `workload`. `cas_ticket` is an alias of `cas`, `access_key_secret` of `aksk`.',
      }),
      password: Type.Optional(
        exactObject({
          user: exactObject({
            id: Type.Optional(Id),
            name: Type.Optional(Name),
            domain: Type.Optional(DomainReference),
            Domain: Type.Optional(DomainReference),
            password: Type.String({
              minLength: 1,
              maxLength: 8192,
              description: 'Passwords are at most 1,024 bytes long',
            }),
          }),
        }),
      ),
      token: Type.Optional(exactObject({ id: Type.String({ minLength: 1, maxLength: 255 }) })),
      cas_ticket: Type.Optional(
        exactObject({
          id: Type.String({ minLength: 1, maxLength: 255 }),
          provider: ProviderId,
        }),
      ),
      access_key_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
      credential: Type.Optional(ProviderCredential),
    }),
    link: Type.Optional(
      exactObject(
        { token: Type.String({ minLength: 1, maxLength: 255 }) },
        {
          description:
            'Only with a credential of an identity provider: its subject becomes a login of the user of this token, which must be from a login with the password at most 10 minutes ago.',
        },
      ),
    ),
    scope: Type.Optional(
      exactObject({
        project: Type.Optional(
          exactObject({
            id: Type.Optional(Id),
            name: Type.Optional(Name),
            domain: Type.Optional(DomainReference),
          }),
        ),
        domain: Type.Optional(DomainReference),
      }),
    ),
  }),
})
export type TokenRequest = Static<typeof TokenRequest>
export type IdentityRequest = TokenRequest['auth']['identity']
export type LinkRequest = NonNullable<TokenRequest['auth']['link']>
export type ScopeRequest = NonNullable<TokenRequest['auth']['scope']>

/** Clients send these keys in upper or lower case. */
const mixedCaseKeys = ['domain', 'id', 'name'] as const

const SubjectTokenHeader = Type.Object({
  'x-subject-token': Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The token to inspect: your own, or any token if your role permits it',
  }),
})

export const VersionDto = exactObject({
  id: text,
  status: text,
  updated: text,
  links: Type.Array(exactObject({ rel: text, href: text })),
  'media-types': Type.Array(exactObject({ base: text, type: text })),
})

const subjectTokenHeaders = { 'X-Subject-Token': 'The token', Vary: '`X-Auth-Token`' }

export const identityOperations = [
  {
    id: 'issueToken',
    method: 'POST',
    path: '/v3/auth/tokens',
    ...publicDefaults,
    servedBy: ['identity'],
    cache: 'no-store',
    rateLimit: 'login',
    hasSecretResponse: true,
    hasPlatformRequestId: true,
    tag: 'Tokens',
    summary: 'Log in',
    description:
      'Issues a token for a project, a domain or no scope. The token is in the response header `X-Subject-Token`. Send it as `X-Auth-Token` with every request. All failed logins return the same 401. The keys `domain`, `id` and `name` are case-insensitive.',
    body: TokenRequest,
    caseInsensitiveKeys: mixedCaseKeys,
    example: exampleTokenRequest,
    responses: {
      201: {
        description: 'Token issued',
        body: TokenBody,
        contentType: 'application/json',
        headers: {
          ...subjectTokenHeaders,
          'x-muster-request-id':
            '`req-<uuid>`, generated by Muster. `--platform-name` sets the middle word of the header.',
        },
        example: { token: exampleToken },
      },
    },
  },
  {
    id: 'setFirstPassword',
    method: 'POST',
    path: '/v3/auth/password',
    ...publicDefaults,
    servedBy: ['identity'],
    cache: 'no-store',
    rateLimit: 'login',
    tag: 'Tokens',
    summary: 'Set a first password with a link',
    description:
      'With the secret of `POST /v3/users/{id}/password-link`. A link that is unknown, expired or used, or whose user is disabled or has a password, is the same 401. A password that is refused does not use up the link.',
    body: FirstPassword,
    example: {
      secret: 'mpl1_b2hZ0v0n0x3WkQ8c1mYt7uE5rKp9sLd4aFgHjXwVqZo',
      password: 'correct horse battery',
    },
    responses: {
      200: {
        description: 'The password is set. Log in with it.',
        body: exactObject({
          user: exactObject({
            id: text,
            name: text,
            domain: exactObject({ id: text, name: text }),
          }),
        }),
        example: {
          user: {
            id: '5f0c1d2e3b4a49588776655443322110',
            name: 'ada',
            domain: { id: 'default', name: 'Default' },
          },
        },
      },
    },
  },
  {
    id: 'validateToken',
    method: 'GET',
    path: '/v3/auth/tokens',
    ...identityDefaults,
    cache: 'no-store',
    hasSecretResponse: true,
    throughGateway: false,
    permission: { service: 'identity', resource: 'tokens', action: 'get', at: ['system', 'self'] },
    tag: 'Tokens',
    summary: 'Validate a token',
    headers: SubjectTokenHeader,
    moreErrors: [404],
    responses: {
      200: {
        description: 'The token is valid',
        body: TokenBody,
        headers: subjectTokenHeaders,
        example: { token: exampleToken },
      },
    },
  },
  {
    id: 'checkToken',
    method: 'HEAD',
    path: '/v3/auth/tokens',
    ...identityDefaults,
    cache: 'no-store',
    hasSecretResponse: true,
    throughGateway: false,
    permission: { service: 'identity', resource: 'tokens', action: 'get', at: ['system', 'self'] },
    tag: 'Tokens',
    summary: 'Check a token',
    headers: SubjectTokenHeader,
    moreErrors: [404],
    responses: { 200: { description: 'The token is valid', headers: subjectTokenHeaders } },
  },
  {
    id: 'revokeToken',
    method: 'DELETE',
    path: '/v3/auth/tokens',
    ...identityDefaults,
    throughGateway: false,
    permission: {
      service: 'identity',
      resource: 'tokens',
      action: 'delete',
      at: ['system', 'self'],
    },
    tag: 'Tokens',
    summary: 'Revoke a token and all tokens derived from it',
    headers: SubjectTokenHeader,
    moreErrors: [404],
    responses: { 204: { description: 'Token revoked' } },
  },
  {
    id: 'listAuthProjects',
    method: 'GET',
    path: '/v3/auth/projects',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'List the projects you can log in to',
    query: keystoneListQuery(projects),
    responses: {
      200: {
        description: 'Your projects',
        body: keystoneListBody('projects', ProjectDto),
        example: listExample('projects', '/v3/auth/projects', projectExample),
      },
    },
  },
  {
    id: 'listAuthDomains',
    method: 'GET',
    path: '/v3/auth/domains',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'List the domains you can log in to',
    query: keystoneListQuery(domains),
    responses: {
      200: {
        description: 'Your domains',
        body: keystoneListBody('domains', DomainDto),
        example: listExample('domains', '/v3/auth/domains', domainExample),
      },
    },
  },
  {
    id: 'showAuthCatalog',
    method: 'GET',
    path: '/v3/auth/catalog',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'Get the service catalog',
    responses: {
      200: {
        description: 'Services. Empty for a token without scope.',
        body: exactObject({
          catalog: Type.Array(CatalogService),
          links: exactObject({ self: text }),
        }),
        example: {
          catalog: exampleToken.catalog,
          links: { self: 'http://127.0.0.1:8400/v3/auth/catalog' },
        },
      },
    },
  },
  {
    id: 'listAuthPermissions',
    method: 'GET',
    path: '/v3/auth/permissions',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'List the permissions of your token',
    description:
      'Every operation that needs a permission, and the scope in which your token has it. The target of an operation must also be accessible to you.',
    query: keystoneListQuery(permissions),
    responses: {
      200: {
        description: 'Permissions by operation',
        body: keystoneListBody('permissions', PermissionDto),
        example: listExample('permissions', '/v3/auth/permissions', {
          operation: 'listServers',
          service: 'compute',
          resource: 'servers',
          action: 'list',
          reach: 'project',
        }),
      },
    },
  },
  {
    id: 'showIdentityVersion',
    method: 'GET',
    path: '/v3',
    ...publicDefaults,
    servedBy: ['identity'],
    tag: 'Discovery',
    summary: 'Get the version of the identity API',
    responses: {
      200: {
        description: 'The version document',
        body: exactObject({ version: VersionDto }),
        example: { version: exampleVersion },
      },
    },
  },
  {
    id: 'discover',
    method: 'GET',
    path: '/',
    ...publicDefaults,
    servedBy: processRoles,
    tag: 'Discovery',
    summary: 'List API versions and endpoints',
    description: 'Browsers are redirected to the console or the API reference.',
    responses: {
      300: {
        description: 'Versions and endpoints',
        body: exactObject({
          versions: exactObject({ values: Type.Array(VersionDto) }),
          endpoints: exactObject({ auth_url: text, base_url: text }),
        }),
        example: {
          versions: { values: [exampleVersion] },
          endpoints: { auth_url: 'http://127.0.0.1:8400', base_url: 'http://127.0.0.1:8400' },
        },
      },
      302: {
        description: 'Redirect for browsers',
        headers: { Location: 'Console or API reference' },
      },
    },
  },
] as const satisfies readonly Operation[]
