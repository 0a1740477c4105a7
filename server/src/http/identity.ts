import {
  permissions as permissionResource,
  type CatalogService,
  type identityOperations,
} from '@muster/contract'
import type { DescribeToken } from '../domain/identity/describe-token.ts'
import type { InspectToken } from '../domain/identity/inspect-token.ts'
import { queryFieldsByKind } from '../domain/identity/administration/query-fields.ts'
import type { Administration } from '../domain/identity/administration/administration.ts'
import type { Caller } from '../domain/identity/caller.ts'
import { chooseScope } from '../domain/identity/choose-scope.ts'
import { createSeesContacts } from '../domain/identity/contacts.ts'
import type { RevokeToken } from '../domain/identity/revoke-token.ts'
import type { IssueToken } from '../domain/identity/issue-token.ts'
import { listPermissions } from '../domain/identity/list-permissions.ts'
import type { GetDeviceLogins } from '../domain/identity/providers/device-logins.ts'
import { openDomains, openProjects } from '../domain/identity/token-scope.ts'
import { queryFieldsOf } from '../domain/query/query-fields.ts'
import { covers } from '../domain/scope.ts'
import { answerInMemory } from './administration/pages.ts'
import { createRenderers } from './administration/render-resources.ts'
import type { HandlersFor } from './register-operations.ts'
import { renderTokenBody } from './token-body.ts'

export interface IdentityUseCases {
  readonly issueToken: IssueToken
  readonly inspectToken: InspectToken
  readonly revokeToken: RevokeToken
  readonly describeToken: DescribeToken
  readonly catalog: readonly CatalogService[]
  readonly getDeviceLogins: GetDeviceLogins
}

interface Dependencies extends IdentityUseCases {
  readonly administration: Pick<Administration, 'setFirstPassword'>
  readonly authUrl: string
  readonly baseUrl: string
  /** Redirect target for browsers that request `/`. */
  readonly homePage: string
}

const permissionFields = queryFieldsOf(permissionResource)

export function createIdentityHandlers(
  dependencies: Dependencies,
): HandlersFor<typeof identityOperations> {
  const { issueToken, inspectToken, revokeToken, describeToken, catalog } = dependencies
  const { authUrl, baseUrl, homePage } = dependencies

  const renderers = createRenderers(authUrl)
  const version = {
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${authUrl}/v3/` }],
    'media-types': [
      { base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' },
    ],
  }

  const validateToken = async ({
    caller,
    headers,
  }: {
    readonly caller: Caller
    readonly headers: { readonly 'x-subject-token': string }
  }) => {
    const secret = headers['x-subject-token']
    const subject = await inspectToken(caller, secret)
    const token = describeToken(subject)
    const { Id: id, Domain: domain } = token.user
    const isShown = createSeesContacts(caller.principal)({ id, domain_id: domain.id })
    const user = isShown ? token.user : { ...token.user, Email: '', Mobile: '' }
    return {
      status: 200,
      body: renderTokenBody({ ...token, user }),
      headers: { 'x-subject-token': secret },
    }
  }

  return {
    async issueToken({ body, origin }) {
      const { secret, token } = await issueToken(body, origin)
      return {
        status: 201,
        userId: token.user.Id,
        body: renderTokenBody(token),
        headers: { 'x-subject-token': secret },
      }
    },

    async setFirstPassword({ body, origin }) {
      const user = await dependencies.administration.setFirstPassword(
        body.secret,
        body.password,
        origin,
      )
      return { status: 200, userId: user.id, body: { user } }
    },

    validateToken,
    checkToken: validateToken,

    async revokeToken({ caller, headers }) {
      await revokeToken(caller, headers['x-subject-token'])
      return { status: 204 }
    },

    async listAuthProjects({ principal, query, url }) {
      const projects = openProjects(principal.userStatus).map(({ domain, createdAt, ...project }) =>
        renderers.projects({ ...project, domain_id: domain.id, created_at: createdAt }),
      )
      const scope = chooseScope(principal, { kind: 'system' }, query.scope ?? 'max')
      const inScope = projects.filter((project) =>
        covers(scope, { projectId: project.id, domainId: project.domain_id }),
      )
      return await answerInMemory('projects', queryFieldsByKind.projects, inScope, {
        parameters: query,
        url: authUrl + url,
        idField: 'id',
      })
    },

    async listAuthDomains({ principal, query, url }) {
      const domains = openDomains(principal.userStatus).map((domain) =>
        renderers.domains({
          id: domain.id,
          name: domain.name,
          description: domain.description,
          enabled: domain.enabled,
          local_passwords: domain.localPasswords,
          local_passwords_since: domain.localPasswordsSince,
          login_rules: domain.loginRules,
          created_at: domain.createdAt,
        }),
      )
      const scope = chooseScope(principal, { kind: 'system' }, query.scope ?? 'max')
      const inScope = domains.filter(
        ({ id }) => scope.kind === 'system' || ('domainId' in scope && scope.domainId === id),
      )
      return await answerInMemory('domains', queryFieldsByKind.domains, inScope, {
        parameters: query,
        url: authUrl + url,
        idField: 'id',
      })
    },

    showAuthCatalog({ principal }) {
      const services = principal.scope.kind === 'none' ? [] : catalog
      const links = { self: `${authUrl}/v3/auth/catalog` }
      return { status: 200, body: { catalog: services, links } }
    },

    async listAuthPermissions({ principal, query, url }) {
      const permissions = listPermissions(principal)
      return await answerInMemory('permissions', permissionFields, permissions, {
        parameters: query,
        url: authUrl + url,
        idField: 'operation',
      })
    },

    async getDeviceLogins({ query }) {
      const device_logins = await dependencies.getDeviceLogins(query.domain)
      return { status: 200, body: { device_logins } }
    },

    showIdentityVersion: () => ({ status: 200, body: { version } }),

    discover({ accept }) {
      const headers = { vary: 'Accept, Accept-Encoding' }
      if (accept.includes('text/html')) {
        return { status: 302, headers: { ...headers, location: homePage } }
      }
      const endpoints = { auth_url: authUrl, base_url: baseUrl }
      return { status: 300, headers, body: { versions: { values: [version] }, endpoints } }
    },
  }
}
