import { Type, type Static } from 'typebox'
import { shortListParameters } from './paging.ts'
import { identityDefaults, publicDefaults } from './operation-defaults.ts'
import { processRoles, type Operation } from './operation.ts'
import { domainExample, DomainDto } from './administration/domains.ts'
import { example } from './administration/examples.ts'
import { projectExample, ProjectDto } from './administration/projects.ts'
import { PermissionDto } from './permission.ts'
import { Links } from './resource.ts'
import { Id, Name, OptionalTimestamp, Timestamp, exactObject, sameType } from './scalars.ts'
import { exampleToken, exampleTokenRequest, exampleVersion } from './identity.examples.ts'

const text = Type.String()
const texts = Type.Array(text)

/** Lower-case reference, as in `role_assignments` and in requests. */
const Reference = exactObject(sameType(['id', 'name'], text))
/** A thing that lives in a domain, lower-case. */
const DomainMember = exactObject({ domain: Reference, id: text, name: text })
/** The token's own spelling of a project: capitals outside, lower case in the domain. */
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

export const Token = exactObject({
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
})
export type Token = Static<typeof Token>

export const TokenBody = exactObject({ token: Token })

const DomainReference = exactObject({ id: Type.Optional(Id), name: Type.Optional(Name) })

/** Names of the ways to prove who you are, aliases included. */
export const methodNames = [
  'password',
  'token',
  'aksk',
  'cas',
  'access_key_secret',
  'cas_ticket',
] as const

export const TokenRequest = exactObject({
  auth: exactObject({
    context: Type.Optional(
      exactObject({
        ip: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Taken and ignored: the server names the address it saw',
          }),
        ),
        source: Type.Optional(
          Type.String({
            maxLength: 64,
            description: '`web`, `api`, `cli` or `srv`; anything else counts as `api`',
          }),
        ),
      }),
    ),
    identity: exactObject({
      methods: Type.Array(Type.Enum(methodNames), {
        minItems: 1,
        maxItems: 1,
        description:
          'Exactly one. `cas_ticket` is another word for `cas`, `access_key_secret` for `aksk`',
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
              description: 'Past 1,024 bytes no password is right',
            }),
          }),
        }),
      ),
      token: Type.Optional(exactObject({ id: Type.String({ minLength: 1, maxLength: 255 }) })),
      cas_ticket: Type.Optional(
        exactObject({
          id: Type.String({ minLength: 1, maxLength: 255 }),
          provider: Type.Optional({
            ...Id,
            description:
              'Which identity provider it is from, by its id. Without it: the only one, or that of the domain of the scope',
          }),
        }),
      ),
      access_key_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    }),
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
export type ScopeRequest = NonNullable<TokenRequest['auth']['scope']>

/** The specification writes `Domain` where its neighbours are lower case; clients send either. */
const mixedCaseKeys = ['domain', 'id', 'name'] as const

const SubjectTokenHeader = Type.Object({
  'x-subject-token': Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The token that is asked about: your own, or any if your role allows it',
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
    tag: 'Tokens',
    summary: 'Get a token',
    description:
      'Proves who you are with one method and answers with a token for the scope you ask for. The token itself is in the header `X-Subject-Token`; send it as `X-Auth-Token` from then on. Every failed login is the same 401, whatever the cause. The keys `domain`, `id` and `name` of the request are read in any case.',
    body: TokenRequest,
    caseInsensitiveKeys: mixedCaseKeys,
    example: exampleTokenRequest,
    responses: {
      201: {
        description: 'A token was issued',
        body: TokenBody,
        contentType: 'application/json',
        headers: {
          ...subjectTokenHeaders,
          'x-muster-request-id': '`req-<uuid>`, made by Muster; the middle word is a setting',
        },
        example: { token: exampleToken },
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
    summary: 'Show what a token stands for now',
    headers: SubjectTokenHeader,
    responses: {
      200: {
        description: 'The token is good',
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
    summary: 'Tell whether a token is good',
    headers: SubjectTokenHeader,
    responses: { 200: { description: 'The token is good', headers: subjectTokenHeaders } },
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
    summary: 'Revoke a token, and every token made from it',
    headers: SubjectTokenHeader,
    responses: { 204: { description: 'The token is gone' } },
  },
  {
    id: 'listAuthProjects',
    method: 'GET',
    path: '/v3/auth/projects',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'List the projects you can get a token for',
    query: exactObject(shortListParameters),
    responses: {
      200: {
        description: 'Your projects',
        body: exactObject({ projects: Type.Array(ProjectDto), links: Links }),
        example: example.list('projects', '/v3/auth/projects', projectExample),
      },
    },
  },
  {
    id: 'listAuthDomains',
    method: 'GET',
    path: '/v3/auth/domains',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'List the domains you can get a token for',
    query: exactObject(shortListParameters),
    responses: {
      200: {
        description: 'Your domains',
        body: exactObject({ domains: Type.Array(DomainDto), links: Links }),
        example: example.list('domains', '/v3/auth/domains', domainExample),
      },
    },
  },
  {
    id: 'showAuthCatalog',
    method: 'GET',
    path: '/v3/auth/catalog',
    ...identityDefaults,
    tag: 'Tokens',
    summary: 'Show the catalog of services',
    responses: {
      200: {
        description: 'The services; none for an unscoped token',
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
    summary: 'List what your token may do, and how far',
    description:
      'Every operation that needs a right, with the right it needs. Decided as the operation itself decides it at this moment; what it is done to can still be out of your sight.',
    query: exactObject(shortListParameters),
    responses: {
      200: {
        description: 'Operation by operation',
        body: exactObject({ permissions: Type.Array(PermissionDto), links: Links }),
        example: example.list('permissions', '/v3/auth/permissions', {
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
    summary: 'Describe the identity API',
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
    summary: 'Find the identity versions and the endpoints',
    description: 'A browser is sent on to a page for people; any other client gets the document.',
    responses: {
      300: {
        description: 'The versions and endpoints',
        body: exactObject({
          versions: exactObject({ values: Type.Array(VersionDto) }),
          endpoints: exactObject({ auth_url: text, base_url: text }),
        }),
        example: {
          versions: { values: [exampleVersion] },
          endpoints: { auth_url: 'http://127.0.0.1:8400', base_url: 'http://127.0.0.1:8400' },
        },
      },
      302: { description: 'For a browser', headers: { Location: 'The page for people' } },
    },
  },
] as const satisfies readonly Operation[]
