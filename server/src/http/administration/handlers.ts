import type { CatalogService, administrationOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import { createHideContacts } from '../../domain/identity/contacts.ts'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { Page, ResourceQuery } from '../../domain/identity/administration/registry.ts'
import type {
  ResourceKind,
  Resources,
  User,
} from '../../domain/identity/administration/resources.ts'
import type { HandlersFor } from '../register-operations.ts'
import { createAssignmentHandlers } from './assignments.ts'
import { createCatalogHandlers } from './catalog.ts'
import { createEventHandlers } from './events.ts'
import { answerPage, readKeystoneQuery, type KeystoneParameters } from './pages.ts'
import { createRenderers } from './render-resources.ts'

interface Dependencies {
  readonly administration: Administration
  readonly catalog: readonly CatalogService[]
  readonly authUrl: string
  readonly baseUrl: string
}

interface ThingCall {
  readonly caller: Caller
  readonly parameters: { readonly id: string }
}

interface GetCall extends ThingCall {
  readonly query: { readonly domain_id?: string }
}

interface EnableCall extends ThingCall {
  readonly body: { readonly user?: { readonly domain_id?: string } }
}

interface ListCall {
  readonly caller: Caller
  readonly query: KeystoneParameters
  readonly url: string
}

const created = (key: string, view: object) => ({ status: 201, body: { [key]: view } })
const shown = (key: string, view: object) => ({ status: 200, body: { [key]: view } })
const done = async (deed: Promise<void>) => {
  await deed
  return { status: 204 }
}

export function createAdministrationHandlers(
  dependencies: Dependencies,
): HandlersFor<typeof administrationOperations> {
  const { administration: use, catalog, authUrl, baseUrl } = dependencies
  const renderers = createRenderers(authUrl)

  const renderUser = (caller: Caller) => {
    const hideContacts = createHideContacts(caller.principal)
    return (user: User) => renderers.users(hideContacts(user))
  }
  const viewFor = (kind: ResourceKind, caller: Caller) =>
    (kind === 'users' ? renderUser(caller) : renderers[kind]) as (item: object) => object

  /** Listing and showing is the same for all kinds of resources. */
  const list = (kind: ResourceKind) =>
    async function listResources({ caller, query, url }: ListCall) {
      const listQuery = readKeystoneQuery(queryFieldsByKind[kind], query, 'name')
      const page = await use.listResources(kind, caller, listQuery)
      return await answerPage(kind, page, viewFor(kind, caller), listQuery, authUrl + url)
    }

  /** Lists what is related to one resource. */
  const listRelated = <K extends ResourceKind>(
    kind: K,
    run: (caller: Caller, id: string, query: ResourceQuery) => Promise<Page<Resources[K]>>,
  ) =>
    async function listRelatedResources({ caller, parameters, query, url }: ListCall & ThingCall) {
      const listQuery = readKeystoneQuery(queryFieldsByKind[kind], query, 'name')
      const page = await run(caller, parameters.id, listQuery)
      return await answerPage(kind, page, viewFor(kind, caller), listQuery, authUrl + url)
    }
  const get = (kind: ResourceKind, key: string) =>
    async function getResource({ caller, parameters, query }: GetCall) {
      const thing = await use.getResource(kind, caller, parameters.id, query.domain_id)
      return shown(key, viewFor(kind, caller)(thing))
    }
  const impact = (kind: 'domains' | 'projects' | 'users') =>
    async function getImpact({ caller, parameters }: ThingCall) {
      return shown('impact', await use.getImpact(kind, caller, parameters.id))
    }

  const remove = (kind: ResourceKind, run: (caller: Caller, id: string) => Promise<void>) =>
    async function deleteResource({ caller, parameters }: ThingCall) {
      return await done(run(caller, await use.findId(kind, caller, parameters.id)))
    }
  const setEnabled = (enabled: boolean) =>
    async function setUserEnabled({ caller, parameters, body }: EnableCall) {
      const id = await use.findId('users', caller, parameters.id, body.user?.domain_id)
      return shown('user', renderUser(caller)(await use.updateUser(caller, id, { enabled })))
    }

  return {
    listDomains: list('domains'),
    getDomain: get('domains', 'domain'),
    getDomainImpact: impact('domains'),
    createDomain: async ({ caller, body }) =>
      created('domain', renderers.domains(await use.createDomain(caller, body.domain))),
    updateDomain: async ({ caller, parameters, body }) =>
      shown(
        'domain',
        renderers.domains(await use.updateDomain(caller, parameters.id, body.domain)),
      ),
    deleteDomain: remove('domains', use.deleteDomain),

    listProjects: list('projects'),
    getProject: get('projects', 'project'),
    getProjectImpact: impact('projects'),
    createProject: async ({ caller, body }) =>
      created('project', renderers.projects(await use.createProject(caller, body.project))),
    updateProject: async ({ caller, parameters, body }) =>
      shown(
        'project',
        renderers.projects(await use.updateProject(caller, parameters.id, body.project)),
      ),
    deleteProject: remove('projects', use.deleteProject),

    listUsers: list('users'),
    getUser: get('users', 'user'),
    getUserImpact: impact('users'),
    createUser: async ({ caller, body }) =>
      created('user', renderUser(caller)(await use.createUser(caller, body.user))),
    updateUser: async ({ caller, parameters, body }) =>
      shown('user', renderUser(caller)(await use.updateUser(caller, parameters.id, body.user))),
    deleteUser: remove('users', use.deleteUser),
    enableUser: setEnabled(true),
    disableUser: setEnabled(false),
    changeOwnPassword: ({ caller, parameters, body }) =>
      done(use.changeOwnPassword(caller, parameters.id, body.user)),
    listUserProjects: listRelated('projects', use.listUserProjects),
    listUserGroups: listRelated('groups', use.listUserGroups),

    listGroups: list('groups'),
    getGroup: get('groups', 'group'),
    createGroup: async ({ caller, body }) =>
      created('group', renderers.groups(await use.createGroup(caller, body.group))),
    updateGroup: async ({ caller, parameters, body }) =>
      shown('group', renderers.groups(await use.updateGroup(caller, parameters.id, body.group))),
    deleteGroup: remove('groups', use.deleteGroup),
    listGroupUsers: listRelated('users', use.listGroupUsers),
    addGroupUser: ({ caller, parameters }) =>
      done(use.addGroupUser(caller, parameters.id, parameters.user_id)),
    checkGroupUser: ({ caller, parameters }) =>
      done(use.checkGroupUser(caller, parameters.id, parameters.user_id)),
    removeGroupUser: ({ caller, parameters }) =>
      done(use.removeGroupUser(caller, parameters.id, parameters.user_id)),

    addGroupUsers: async ({ caller, parameters, body }) =>
      shown(
        'group',
        renderers.groups(await use.addGroupUsers(caller, parameters.id, body.group.user)),
      ),
    removeGroupUsers: async ({ caller, parameters, body }) =>
      shown(
        'group',
        renderers.groups(await use.removeGroupUsers(caller, parameters.id, body.group.user)),
      ),

    listRoles: list('roles'),
    getRole: get('roles', 'role'),
    createRole: async ({ caller, body }) =>
      created('role', renderers.roles(await use.createRole(caller, body.role))),
    updateRole: async ({ caller, parameters, body }) =>
      shown('role', renderers.roles(await use.updateRole(caller, parameters.id, body.role))),
    deleteRole: remove('roles', use.deleteRole),
    listRolePolicies: listRelated('policies', use.listRolePolicies),
    async listPolicyBindings({ caller, query: { role_ids, ...query }, url }) {
      const parameters = role_ids ? { ...query, role_id: role_ids } : query
      const listQuery = readKeystoneQuery(queryFieldsByKind.rolepolicies, parameters, 'name')
      const page = await use.listPolicyBindings(caller, listQuery)
      return await answerPage('rolepolicies', page, (item) => item, listQuery, authUrl + url)
    },
    bindPolicy: ({ caller, parameters }) =>
      done(use.bindPolicy(caller, parameters.id, parameters.policy_id)),
    checkPolicyBinding: ({ caller, parameters }) =>
      done(use.checkPolicyBinding(caller, parameters.id, parameters.policy_id)),
    unbindPolicy: ({ caller, parameters }) =>
      done(use.unbindPolicy(caller, parameters.id, parameters.policy_id)),

    listPolicies: list('policies'),
    getPolicy: get('policies', 'policy'),
    createPolicy: async ({ caller, body }) =>
      created('policy', renderers.policies(await use.createPolicy(caller, body.policy))),
    updatePolicy: async ({ caller, parameters, body }) =>
      shown(
        'policy',
        renderers.policies(await use.updatePolicy(caller, parameters.id, body.policy)),
      ),
    deletePolicy: remove('policies', use.deletePolicy),
    checkPolicy: async ({ caller, body }) =>
      shown('check', await use.checkPolicy(caller, body.check)),

    listCredentials: list('credentials'),
    getCredential: get('credentials', 'credential'),
    async createCredential({ caller, body }) {
      const { key, secret } = await use.createCredential(caller, body.credential)
      return {
        ...created('credential', renderers.newCredential(key, secret)),
        headers: { 'cache-control': 'no-store' },
      }
    },
    updateCredential: async ({ caller, parameters, body }) =>
      shown(
        'credential',
        renderers.credentials(await use.updateCredential(caller, parameters.id, body.credential)),
      ),
    deleteCredential: remove('credentials', use.deleteCredential),

    listIdentityProviders: list('identity_providers'),
    getIdentityProvider: get('identity_providers', 'identity_provider'),
    createIdentityProvider: async ({ caller, body }) =>
      created(
        'identity_provider',
        renderers.identity_providers(
          await use.createIdentityProvider(caller, body.identity_provider),
        ),
      ),
    updateIdentityProvider: async ({ caller, parameters, body }) =>
      shown(
        'identity_provider',
        renderers.identity_providers(
          await use.updateIdentityProvider(caller, parameters.id, body.identity_provider),
        ),
      ),
    deleteIdentityProvider: remove('identity_providers', use.deleteIdentityProvider),

    ...createAssignmentHandlers({ administration: use, renderers, authUrl }),
    ...createCatalogHandlers(catalog, authUrl),
    ...createEventHandlers({ administration: use, authUrl, baseUrl }),
  }
}
