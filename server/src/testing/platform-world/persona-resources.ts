import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { CatalogService } from '@muster/contract'
import type { CompiledQuery, Insertable } from 'kysely'
import type { SecretBox } from '../../domain/secret-box.ts'
import { withOwnNotes } from '../../domain/inventory/own-fields.ts'
import { totpContext } from '../../domain/identity/factors/totp.ts'
import { newId } from '../../domain/new-id.ts'
import { writeServer } from '../../domain/tasks/accept-task.ts'
import { mintToken } from '../../domain/identity/token-secret.ts'
import type { Database, Statements } from '../../storage/database.ts'
import type { Tables } from '../../storage/tables.ts'
import { newestChangeTime } from '../inventory-world/newest-change-time.ts'
import { serverWithResources } from '../inventory-world/minimal-server.ts'
import {
  accessKeyRow,
  anyName,
  assignmentRow,
  createdAt,
  domainRow,
  groupRow,
  policyRow,
  projectRow,
  providerRow,
  roleRow,
  subjectRow,
  userRow,
} from '../identity-world/identity-rows.ts'
import type { TestPlatform } from '../start-platform.ts'
import { taskOf } from './task-row.ts'
import { called, checkOf, eventBy, viewOf } from './saved-rows.ts'

export interface Place {
  readonly domainId: string
  readonly domainName: string
  readonly projectId: string
  readonly projectName: string
}

/** One of every resource, in one project. */
export interface Resources extends Place {
  /** Disabled, and nothing in it. */
  readonly spareDomainId: string
  readonly spareProjectId: string
  /** Holds `project_viewer` in the project, has an access key and a token, is in the group. */
  readonly userId: string
  readonly userName: string
  /** Of a link to set the first password of another user. */
  readonly linkSecret: string
  /** Hold nothing and have no password, `domain_viewer` on the domain, `auditor` on the system. */
  readonly newcomerId: string
  readonly residentId: string
  readonly stewardId: string
  /** Holds `project_viewer` in the project; and three more, as with the users. */
  readonly groupId: string
  readonly groupName: string
  readonly idleGroupId: string
  readonly residentGroupId: string
  readonly stewardGroupId: string
  readonly roleId: string
  readonly roleName: string
  /** Bound to the role, and not bound. */
  readonly policyId: string
  readonly policyName: string
  readonly loosePolicyId: string
  readonly keyId: string
  readonly keyName: string
  /** A second factor of the user, which is not confirmed. */
  readonly factorId: string
  readonly providerId: string
  readonly providerName: string
  readonly token: string
  /** The target of an event. */
  readonly targetId: string
  /** Belongs to the project. */
  readonly serverId: string
  readonly serverName: string
  /** A time after which the server was changed. */
  readonly changedSince: string
  /** Queued, for a server of the project. */
  readonly taskId: string
  readonly batchId: string
  /** The user's: shared in the project, or private where the user is the caller. */
  readonly viewId: string
  readonly viewName: string
  readonly checkId: string
  readonly checkName: string
  /** Leads nowhere. */
  readonly accountId: string
  readonly accountName: string
  /** The ready-made roles that grants are about: `project_viewer`, `domain_viewer`, `auditor`. */
  readonly projectRoleId: string
  readonly domainRoleId: string
  readonly systemRoleId: string
  /** Parts of the catalog, which everyone can read. */
  readonly serviceId: string
  readonly endpointId: string
  readonly regionId: string
}

/** That of every second factor. */
export const factorSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Ids and names that do not exist. */
export const nonexistentResources = (resources: Resources): Resources => ({
  ...(Object.fromEntries(
    Object.keys(resources).map((key) => [key, key.endsWith('Name') ? `never ${newId()}` : newId()]),
  ) as unknown as Resources),
  serverId: randomUUID(),
  changedSince: resources.changedSince,
  token: mintToken().secret,
})

interface Context {
  readonly database: Database
  readonly inventory: TestPlatform['inventory']
  readonly secretBox: SecretBox
  /** By their names. */
  readonly roleIds: ReadonlyMap<string, string>
  readonly catalog: readonly CatalogService[]
  readonly passwordHash: string
  /** Collects the stored secrets, which no response may show. */
  readonly secrets: Set<string>
}

/** Creates one of every resource in a project, directly in storage and in one commit. */
export function createResourceFactory(context: Context) {
  const { database, inventory, secretBox, roleIds, catalog, passwordHash, secrets } = context
  const { db } = database
  const [service] = catalog
  const [endpoint] = service?.endpoints ?? []
  const encryptedSecret = `sealed-${randomBytes(16).toString('hex')}`
  secrets.add(encryptedSecret)
  /** How to remove the resources. Foreign keys delete much else with these rows. */
  const leftovers = new WeakMap<Resources, Statements>()
  const servers = new WeakMap<Resources, string>()
  const roleId = (name: string) => roleIds.get(name) ?? ''

  const insert = <Table extends keyof Tables>(
    table: Table,
    ...rows: Insertable<Tables[Table]>[]
  ): CompiledQuery => db.insertInto(table).values(rows).compile()

  const remove = (table: keyof Tables, ...resources: { readonly id: string }[]): CompiledQuery =>
    db
      .deleteFrom(table as 'users')
      .where(
        'id',
        'in',
        resources.map(({ id }) => id),
      )
      .compile()

  const userIn = (domainId: string, word: string) =>
    userRow({ name: anyName(word), domainId, passwordHash })

  const holding = (role: string, held: Parameters<typeof assignmentRow>[1]) =>
    assignmentRow(roleId(role), held)

  function factorOf(user_id: string) {
    const id = newId()
    const secret = secretBox.encrypt(factorSecret, totpContext(id, user_id))
    return { id, user_id, name: anyName('factor'), secret, created_at: createdAt, last_step: 0 }
  }

  const keyOf = (userId: string, projectId: string) =>
    accessKeyRow(userId, projectId, encryptedSecret)

  const batchOf = (
    { projectId, domainId }: Pick<Place, 'projectId' | 'domainId'>,
    userId: string,
  ) => ({
    id: newId(),
    action: 'start',
    params: '{}',
    status: 'running',
    total: 1,
    matched: '',
    max_parallel: 1,
    max_failures: 0,
    failures_in_row: 0,
    project_id: projectId,
    domain_id: domainId,
    user_id: userId,
    user_name: '',
    created_at: createdAt,
    finished_at: null,
  })

  function tokenOf(userId: string) {
    const { id, secret } = mintToken()
    const issued_at = Date.now()
    const times = { issued_at, expires_at: issued_at + 3_600_000 }
    const login = { method: 'password', login_method: 'password', generation: 0 }
    const row = { id, user_id: userId, ...login, ...times }
    return { secret, row: { ...row, ip: '192.0.2.7', source: 'api' } }
  }

  const policy = () =>
    policyRow(anyName('policy'), 'project', [
      { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' },
    ])

  async function addResources(place: Place): Promise<Resources> {
    const { domainId, projectId } = place
    const spareDomain = { ...domainRow(anyName('spare')), enabled: 0 }
    const spareProject = projectRow(anyName('spare'), domainId)
    const user = userIn(domainId, 'member')
    const newcomer = userRow({ name: anyName('newcomer'), domainId })
    const invited = userRow({ name: anyName('invited'), domainId })
    const linkSecret = randomBytes(32).toString('base64url')
    const creator = await database.db
      .selectFrom('users')
      .innerJoin('assignments', 'user_id', 'users.id')
      .select(['users.id as created_by', 'project_id'])
      .where('users.name', '=', 'sysadmin')
      .where('project_id', 'is not', null)
      .executeTakeFirstOrThrow()
    const resident = userIn(domainId, 'resident')
    const steward = userIn(domainId, 'steward')
    const group = groupRow(anyName('crew'), domainId)
    const idle = groupRow(anyName('idle'), domainId)
    const residents = groupRow(anyName('residents'), domainId)
    const stewards = groupRow(anyName('stewards'), domainId)
    const role = roleRow(anyName('role'))
    const bound = policy()
    const loose = policy()
    const key = keyOf(user.id, projectId)
    const factor = factorOf(user.id)
    const view = viewOf(user.id, projectId, 'project')
    const check = checkOf(projectId, domainId)
    const provider = providerRow(anyName('provider'), domainId)
    const token = tokenOf(user.id)
    const event = eventBy(newcomer.id, domainId)
    const server = serverWithResources(projectId)
    const named = called('account')
    const account = {
      ...named,
      provider: 'OneCloud',
      brand: 'OneCloud',
      address: 'qemu+unix:///system?socket=/nowhere',
      credentials: secretBox.encrypt('{}', `cloudaccount ${named.id}`),
      options: '{}',
      project_id: projectId,
      period: 3_600,
      enabled: 1,
      mapping: '[]',
      revision: 1,
      leaving: 0,
      access: 'observe',
      max_actions: 10,
      request_timeout: 20,
    }
    const batch = batchOf(place, user.id)
    const task = taskOf(place, user.id, '')
    const batchTask = taskOf(place, user.id, batch.id)
    await database.commitIdentity([
      insert('domains', spareDomain),
      insert('projects', spareProject),
      insert('users', user, newcomer, invited, resident, steward),
      insert('password_links', {
        user_id: invited.id,
        hash: hash('sha256', linkSecret, 'base64url'),
        expires_at: Date.now() + 3_600_000,
        ...creator,
        domain_id: null,
      }),
      insert('groups', group, idle, residents, stewards),
      insert('group_members', { group_id: group.id, user_id: user.id }),
      insert('roles', role),
      insert('policies', bound, loose),
      insert('role_policies', { role_id: role.id, policy_id: bound.id }),
      insert('access_keys', key),
      insert('factors', factor),
      insert('views', view),
      insert('checks', check),
      insert('identity_providers', provider),
      insert('subjects', subjectRow(user.id, provider.id)),
      insert('tokens', token.row),
      insert('events', event),
      insert('cloudaccounts', account),
      insert('batches', batch),
      insert('tasks', task, batchTask),
      { sql: `insert into account_syncs (account_id) values ('${account.id}')`, parameters: [] },
      insert(
        'assignments',
        holding('project_viewer', { userId: user.id, projectId }),
        holding('domain_viewer', { userId: resident.id, domainId }),
        holding('auditor', { userId: steward.id }),
        holding('project_viewer', { groupId: group.id, projectId }),
        holding('domain_viewer', { groupId: residents.id, domainId }),
        holding('auditor', { groupId: stewards.id }),
      ),
    ])
    await inventory.recordServers({ present: [server], gone: [] })
    // The first description also adds a tag; later ones change the same tables for everybody.
    const stored = (await inventory.serverWriter.findStored([server.id])).get(server.id)
    if (!stored) throw new Error('the server was not recorded')
    const changedSince = await newestChangeTime(database)
    const changed = { ...stored.server, description: 'described' }
    const described = withOwnNotes(changed, { described_by: 'muster' })
    await inventory.serverWriter.write([writeServer(stored, described, createdAt)])
    const resources: Resources = {
      ...place,
      spareDomainId: spareDomain.id,
      spareProjectId: spareProject.id,
      userId: user.id,
      userName: user.name,
      linkSecret,
      newcomerId: newcomer.id,
      residentId: resident.id,
      stewardId: steward.id,
      groupId: group.id,
      groupName: group.name,
      idleGroupId: idle.id,
      residentGroupId: residents.id,
      stewardGroupId: stewards.id,
      roleId: role.id,
      roleName: role.name,
      policyId: bound.id,
      policyName: bound.name,
      loosePolicyId: loose.id,
      keyId: key.id,
      keyName: key.name,
      factorId: factor.id,
      providerId: provider.id,
      providerName: provider.name,
      token: token.secret,
      targetId: event.target_id,
      serverId: server.id,
      serverName: server.name,
      changedSince,
      taskId: task.id,
      batchId: batch.id,
      viewId: view.id,
      viewName: view.name,
      checkId: check.id,
      checkName: check.name,
      accountId: account.id,
      accountName: account.name,
      projectRoleId: roleId('project_viewer'),
      domainRoleId: roleId('domain_viewer'),
      systemRoleId: roleId('auditor'),
      serviceId: service?.id ?? '',
      endpointId: endpoint?.id ?? '',
      regionId: endpoint?.region_id ?? '',
    }
    leftovers.set(resources, [
      remove('domains', spareDomain),
      remove('projects', spareProject),
      remove('users', user, newcomer, invited, resident, steward),
      remove('groups', group, idle, residents, stewards),
      remove('roles', role),
      remove('policies', bound, loose),
      remove('identity_providers', provider),
      remove('cloudaccounts', account),
      remove('checks', check),
      remove('batches', batch),
      remove('tasks', task, batchTask),
    ])
    servers.set(resources, server.id)
    return resources
  }

  const bases = new Map<Place, Resources>()

  return {
    addResources,

    /** A user's own resources: the user, a group with the user in it, a key, a token and an event. */
    async addThingsFor(user: { id: string; name: string }, place: Place): Promise<Resources> {
      const base = bases.get(place) ?? (await addResources(place))
      bases.set(place, base)
      const group = groupRow(anyName('own'), place.domainId)
      const key = keyOf(user.id, place.projectId)
      const factor = factorOf(user.id)
      const view = viewOf(user.id, place.projectId, 'private')
      const token = tokenOf(user.id)
      const login = subjectRow(user.id, base.providerId)
      const event = eventBy(user.id, place.domainId)
      await database.commitIdentity([
        insert('groups', group),
        insert('group_members', { group_id: group.id, user_id: user.id }),
        insert('access_keys', key),
        insert('factors', factor),
        insert('subjects', login),
        insert('views', view),
        insert('tokens', token.row),
        insert('events', event),
      ])
      const resources: Resources = {
        ...base,
        userId: user.id,
        userName: user.name,
        groupId: group.id,
        groupName: group.name,
        keyId: key.id,
        keyName: key.name,
        factorId: factor.id,
        viewId: view.id,
        viewName: view.name,
        token: token.secret,
        targetId: event.target_id,
      }
      leftovers.set(resources, [
        remove('groups', group),
        remove('access_keys', key),
        remove('factors', factor),
        db.deleteFrom('subjects').where('subject', '=', login.subject).compile(),
        remove('views', view),
        remove('tokens', token.row),
      ])
      return resources
    },

    /** With few rows, comparing all of them is quick. */
    async removeThings(resources: Resources): Promise<void> {
      await database.commitIdentity(leftovers.get(resources) ?? [])
      const server = servers.get(resources)
      if (server === undefined) return
      await inventory.recordServers({ present: [], gone: [server] })
      await inventory.serverWriter.purgeDeleted(Date.now() + 1_000)
    },
  }
}
