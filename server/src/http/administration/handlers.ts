import {
  administeredKinds,
  administeredResources,
  type administrationOperations,
  type administrationRoutes,
  type CatalogService,
} from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import { createHideContacts } from '../../domain/identity/contacts.ts'
import { queryFieldsByKind } from '../../domain/identity/administration/query-fields.ts'
import type { ResourceQuery } from '../../domain/identity/administration/registry.ts'
import type {
  ResourceKind,
  Resources,
  User,
} from '../../domain/identity/administration/resources.ts'
import type { Page } from '../../domain/query/list-query.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { ListEvents } from '../../domain/inventory/history/list-events.ts'
import type { HandlersFor } from '../register-operations.ts'
import { createAssignmentHandlers } from './assignments.ts'
import { createCatalogHandlers } from './catalog.ts'
import { createEventHandlers } from './events.ts'
import { createFactorHandlers } from './factors.ts'
import { answerPage, readKeystoneQuery, type KeystoneParameters } from './pages.ts'
import { createRenderers } from './render-resources.ts'

interface Dependencies {
  readonly administration: Administration
  readonly listEvents: ListEvents
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

interface WriteCall extends ThingCall {
  readonly body: Readonly<Record<string, object>>
}

/** The use cases of any kind. The input fits the contract of its operation. */
interface AnyWriteUseCases {
  create(caller: Caller, input: object | undefined): Promise<object>
  update(caller: Caller, id: string, input: object | undefined): Promise<object>
  delete(caller: Caller, id: string): Promise<void>
}

interface ListCall {
  readonly caller: Caller
  readonly query: KeystoneParameters
  readonly url: string
}

type AdministrationHandlers = HandlersFor<typeof administrationOperations>

const created = (key: string, view: object) => ({ status: 201, body: { [key]: view } })
const shown = (key: string, view: object) => ({ status: 200, body: { [key]: view } })
const done = async (deed: Promise<void>) => {
  await deed
  return { status: 204 }
}

export function createAdministrationHandlers(dependencies: Dependencies): AdministrationHandlers {
  const { administration: use, listEvents, catalog, authUrl, baseUrl } = dependencies
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
  const impact = (kind: 'domains' | 'projects' | 'users') =>
    async function getImpact({ caller, parameters }: ThingCall) {
      return shown('impact', await use.getImpact(kind, caller, parameters.id))
    }

  /** The five operations that every kind of resource has. */
  const operationsOn = (kind: ResourceKind) => {
    const { key, noun, nouns } = administeredResources[kind]
    const write = () => use.write[kind] as unknown as AnyWriteUseCases
    return {
      [`list${nouns}`]: list(kind),
      async [`get${noun}`]({ caller, parameters, query }: GetCall) {
        const item = await use.getResource(kind, caller, parameters.id, query.domain_id)
        return shown(key, viewFor(kind, caller)(item))
      },
      async [`create${noun}`]({ caller, body }: WriteCall) {
        return created(key, viewFor(kind, caller)(await write().create(caller, body[key])))
      },
      async [`update${noun}`]({ caller, parameters, body }: WriteCall) {
        const item = await write().update(caller, parameters.id, body[key])
        return shown(key, viewFor(kind, caller)(item))
      },
      async [`delete${noun}`]({ caller, parameters }: ThingCall) {
        return await done(write().delete(caller, await use.findId(kind, caller, parameters.id)))
      },
    }
  }
  const operations = Object.assign({}, ...administeredKinds.map(operationsOn)) as Pick<
    AdministrationHandlers,
    keyof typeof administrationRoutes
  >
  const setEnabled = (enabled: boolean) =>
    async function setUserEnabled({ caller, parameters, body }: EnableCall) {
      const id = await use.findId('users', caller, parameters.id, body.user?.domain_id)
      return shown(
        'user',
        renderUser(caller)(await use.write.users.update(caller, id, { enabled })),
      )
    }

  return {
    ...operations,
    getDomainImpact: impact('domains'),
    getProjectImpact: impact('projects'),
    getUserImpact: impact('users'),
    updateLocalPasswords: async ({ caller, parameters, body }) =>
      shown(
        'local_passwords',
        await use.updateLocalPasswords(caller, parameters.id, body.local_passwords),
      ),
    updateLoginRules: async ({ caller, parameters, body }) =>
      shown('login_rules', await use.updateLoginRules(caller, parameters.id, body.login_rules)),
    async getProjectSummaries({ caller, query }) {
      const project_summaries = await use.getProjectSummaries(caller, query.project_id ?? [])
      return { status: 200, body: { project_summaries: [...project_summaries] } }
    },
    enableUser: setEnabled(true),
    disableUser: setEnabled(false),
    async createPasswordLink({ caller, parameters }) {
      const { secret, expiresAt } = await use.createPasswordLink(caller, parameters.id)
      return created('password_link', { secret, expires_at: timestamp(expiresAt) })
    },
    changeOwnPassword: ({ caller, parameters, body }) =>
      done(use.changeOwnPassword(caller, parameters.id, body.user)),
    async getLinkedLogins({ caller, parameters }) {
      const logins = await use.getLinkedLogins(caller, parameters.id)
      const linked_logins = logins.map(({ link, provider: { id, name, driver } }) => ({
        provider: { id, name, driver },
        subject: link.subject,
        confirmed_at: timestamp(link.confirmedAt),
      }))
      return { status: 200, body: { linked_logins } }
    },
    async linkLogins({ caller, body }) {
      const { dry_run = false, linked_logins } = body
      const results = await use.linkLogins(caller, linked_logins, dry_run)
      return { status: 200, body: { linked_logins: results } }
    },
    unlinkLogin: ({ caller, parameters }) =>
      done(use.unlinkLogin(caller, parameters.id, parameters.provider_id)),
    ...createFactorHandlers(use),
    testNewIdentityProvider: async ({ caller, body }) =>
      shown('test', await use.testNewIdentityProvider(caller, body.identity_provider)),
    testIdentityProvider: async ({ caller, parameters, body }) =>
      shown('test', await use.testIdentityProvider(caller, parameters.id, body.identity_provider)),
    previewIdentityProviderMapping: async ({ caller, parameters, body }) =>
      shown('preview', await use.previewIdentityProviderMapping(caller, parameters.id, body)),
    getIdentityProviderDrivers: () =>
      shown('identity_provider_drivers', use.getIdentityProviderDrivers()),
    listUserProjects: listRelated('projects', use.listUserProjects),
    listUserGroups: listRelated('groups', use.listUserGroups),

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

    checkPolicy: async ({ caller, body }) =>
      shown('check', await use.checkPolicy(caller, body.check)),

    async createCredential({ caller, body }) {
      const { key, secret } = await use.write.credentials.create(caller, body.credential)
      return {
        ...created('credential', renderers.newCredential(key, secret)),
        headers: { 'cache-control': 'no-store' },
      }
    },

    ...createAssignmentHandlers({ administration: use, renderers, authUrl }),
    ...createCatalogHandlers(catalog, authUrl),
    ...createEventHandlers({ administration: use, listEvents, authUrl, baseUrl }),
  }
}
