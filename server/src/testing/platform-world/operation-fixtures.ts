import { eventually } from '../eventually.ts'
import {
  administeredResources,
  operations,
  storedFields,
  type Operation,
  type Resource,
} from '@muster/contract'
import { hash } from '@node-rs/argon2'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { totpContext } from '../../domain/identity/factors/totp.ts'
import { loadSecretKey } from '../../vault/secret-key.ts'
import { newId } from '../../domain/new-id.ts'
import { renewToken, type CallOptions } from '../call-operation.ts'
import { ask, requestToken, systemProject, tokenIdentity, type ClientResponse } from '../client.ts'
import { inventoryKinds } from '../../domain/inventory/kinds.ts'
import { serverWithResources } from '../inventory-world/minimal-server.ts'
import { newestChangeTime } from '../inventory-world/newest-change-time.ts'
import { insertToken } from '../identity-world/insert-token.ts'
import { createIdentityWorld } from '../identity-world/create-identity-world.ts'
import { createActionFixtures, missedSighting } from './action-fixtures.ts'
import { factorSecret } from './persona-resources.ts'
import type { TestPlatform } from '../start-platform.ts'
import { testPasswordCost } from '../password-cost.ts'

type Members = Readonly<Record<string, unknown>>

const all: readonly Operation[] = operations

/** The collections of path parameters, except `id`, which belongs to the path's first segment. */
const kinds: Readonly<Record<string, string>> = {
  user_id: 'users',
  group_id: 'groups',
  role_id: 'roles',
  policy_id: 'policies',
}
/** The owner of a new resource of a kind that belongs to a domain or a project. */
function ownerOf(kind: string, owners: Members): Members {
  const resource = (administeredResources as Readonly<Record<string, Resource>>)[kind]
  const stored = new Set((resource ? storedFields(resource) : []).map(([name]) => name))
  return Object.fromEntries(Object.entries(owners).filter(([name]) => stored.has(name)))
}

/** What must come before an operation, so that there is something to change. */
const opposites: Readonly<Record<string, string>> = {
  enableUser: 'disableUser',
  enableCloudAccount: 'disableCloudAccount',
  removeGroupUsers: 'addGroupUsers',
  leaveUserProjects: 'joinUserProjects',
  leaveGroupProjects: 'joinGroupProjects',
}
/** Operations on second factors, except reading them. */
const isOfOwnFactor = ({ id, path }: Operation): boolean =>
  id !== 'getFactors' && /\/(?:factors|recovery_codes)\b/.test(path)

const ownPassword = 'correct horse battery'

/** The first segment of the path after its version. */
const collectionOf = ({ path }: Operation): string =>
  path.split('/').find((step) => step !== '' && step !== 'v3') ?? ''

const isItem = ({ path }: Operation) => /^(?:\/v3)?\/\w+\/\{id\}$/.test(path)

/** Paths of Muster's own resources have no version. */
const rootOf = (kind: string) =>
  ['cloudaccounts', 'views', 'checks'].includes(kind) ? `/${kind}` : `/v3/${kind}`

/** An account that cannot connect. */
const silentAccount = {
  provider: 'OneCloud',
  address: 'qemu+unix:///system?socket=/nowhere',
  credentials: {},
  options: {},
}

let period = 3_600
const nextPeriod = () => (period += 1)

/**
 * Resources with which every operation succeeds, any number of times, when the first administrator
 * calls it. What a call consumes is created for it; all else is created once.
 */
export async function createOperationFixtures(platform: TestPlatform, admin: string) {
  const { url, database, inventory } = platform
  const identities = createIdentityWorld(database)
  const secretKey = loadSecretKey(join(platform.folder, 'secret.key'))
  const made = new Map<string, Promise<string>>()
  const passwordHash = await hash(ownPassword, testPasswordCost)
  const { body } = await requestToken(url, { identity: tokenIdentity(admin), scope: systemProject })
  const userId = body.token.user.Id
  const projectId = body.token.project.Id

  async function request<Body>(path: string, options: Parameters<typeof ask>[2] = {}) {
    const answer: ClientResponse<Body> = await ask<Body>(url, path, { token: admin, ...options })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  const actions = await createActionFixtures(platform, projectId, request)

  /** Values that replace those of the contract's example: a free name, existing ids. */
  async function settingsOf(kind: string): Promise<Members> {
    const name = `${kind} ${newId()}`
    const domain_id = 'default'
    switch (kind) {
      case 'credentials':
        return { project_id: projectId }
      case 'cloudaccounts':
        return { ...silentAccount, name, project_id: projectId, mapping: [] }
      case 'identity_providers':
        return {
          name,
          domain_id,
          mapping: [{ role_id: await idOf('roles'), project_id: projectId }],
        }
      default:
        return { name, ...ownerOf(kind, { domain_id, project_id: projectId }) }
    }
  }

  async function bodyOf(operation: Operation): Promise<unknown> {
    if (operation.id === 'linkLogins') {
      return { linked_logins: [await linkedLogin(await make('users'))] }
    }
    if (operation.id === 'updateLocalPasswords') {
      const rule = { local_passwords: 'break_glass', local_passwords_since: 1 }
      const id = await idOf('domains')
      await identities.change(
        database.db.updateTable('domains').set(rule).where('id', '=', id).compile(),
      )
      return { local_passwords: { value: 'on' } }
    }
    if (operation.id === 'updateLoginRules') return { login_rules: { session_idle: 3_600 } }
    if (operation.id === 'createBatch') {
      return { batch: { action: 'start', ids: [await actions.addServer('startServer')] } }
    }
    if (actions.acts(operation)) return actions.bodyOf(operation)
    // A new tag each time: the same one would be no change.
    if (operation.path.endsWith('metadata')) {
      const key = operation.path.endsWith('user-metadata') ? 'server' : 'metadata'
      return { [key]: { 'user:note': newId() } }
    }
    const kind = collectionOf(operation)
    const [[key, example] = ['', {}]] = Object.entries(operation.example as Record<string, Members>)
    if (operation.id === 'checkPolicy') {
      return { [key]: { ...example, user_id: userId, project_id: projectId } }
    }
    if (operation.id === 'testNewCloudAccount') return { [key]: silentAccount }
    // A new period each time: the same one would be no change.
    if (operation.id === 'updateCloudAccount') return { [key]: { period: nextPeriod() } }
    // An address that does not exist, so that nothing is contacted.
    if (operation.id === 'testNewIdentityProvider') {
      const options = { issuer: 'https://silent.invalid', client_id: 'muster' }
      return { [key]: { driver: 'oidc', options } }
    }
    if (operation.id === 'previewIdentityProviderMapping') return { claims: { user: 'ada' } }
    if (operation.id === 'testIdentityProvider') return { [key]: {} }
    if (operation.id === 'updateCheck') return { [key]: { description: newId() } }
    if (operation.id === 'updateView') return { [key]: { q: newId() } }
    if (operation.id === 'previewCloudAccountMapping') return { mapping: [] }
    if (key === '') return {}
    if (/^(?:add|remove)GroupUsers$/.test(operation.id)) {
      return { group: { user: [await idOf('users')] } }
    }
    if (operation.id.startsWith('join')) return { [key]: await joining() }
    if (operation.id.startsWith('leave')) {
      const { projects, roles } = await joining()
      return { [key]: { project_roles: [{ project: projects[0], role: roles[0] }] } }
    }
    const isNew = operation.method === 'POST' && operation.path === rootOf(kind)
    return { [key]: { ...example, ...(isNew && (await settingsOf(kind))) } }
  }

  const linkedLogin = async (user_id: string) => ({
    user_id,
    provider_id: await idOf('identity_providers', 'to link'),
    subject: newId(),
  })

  const joining = async () => ({ projects: [projectId], roles: [await idOf('roles')] })

  /** Servers have no create operation: a source reports them. */
  async function findServer(): Promise<string> {
    const server = serverWithResources(projectId)
    await inventory.recordServers({ present: [server], gone: [] })
    return server.id
  }

  /** A server that can be refreshed: simulated, of a running account. */
  async function findRunningServer(): Promise<string> {
    const account = await make('cloudaccounts', {
      provider: 'Simulator',
      address: '',
      options: { servers: 1 },
    })
    return await eventually('the account has a server', async () => {
      const path = `/servers?scope=system&account=${account}`
      const { servers } = await request<{ servers: { id: string }[] }>(path)
      return servers[0]?.id
    })
  }

  /** An account with a missing server to confirm. */
  async function makeMissing(): Promise<string> {
    const id = await make('cloudaccounts')
    await database.commit([
      // No server has this number.
      database.db
        .insertInto('sightings')
        .values(missedSighting(id, 0, projectId))
        .compile(),
    ])
    return id
  }

  async function make(kind: string, changes: Members = {}): Promise<string> {
    if (kind === 'servers' || (inventoryKinds as readonly string[]).includes(kind))
      return await findServer()
    const operation = all.find(({ method, path }) => method === 'POST' && path === rootOf(kind))
    // The catalog has no create operations, but initial data.
    if (!operation) {
      const { [kind]: list } = await request<Record<string, { id: string }[]>>(`/v3/${kind}`)
      return list?.[0]?.id ?? ''
    }
    const [[key, members] = ['', {}]] = Object.entries((await bodyOf(operation)) as object) as [
      string,
      Members,
    ][]
    const { password: _, ...rest } = members
    const { [key]: thing } = await request<Record<string, { id: string }>>(rootOf(kind), {
      method: 'POST',
      body: { [key]: { ...rest, ...changes } },
    })
    return thing?.id ?? ''
  }

  function idOf(kind: string, purpose = ''): Promise<string> {
    const name = `${kind} ${purpose}`
    const id = made.get(name) ?? make(kind)
    made.set(name, id)
    return id
  }

  function idFor(operation: Operation, kind: string): Promise<string> {
    if (actions.acts(operation)) return actions.addServer(operation.id)
    if (kind === 'batches') return actions.addBatch()
    if (kind === 'tasks') return actions.addTask()
    if (operation.id === 'syncServer') {
      const id = made.get('running server') ?? findRunningServer()
      made.set('running server', id)
      return id
    }
    if (operation.id === 'confirmGoneServers') return makeMissing()
    if (operation.id.startsWith('disable')) return make(kind)
    if (!isItem(operation)) return idOf(kind)
    if (operation.method === 'PUT') return idOf(kind, 'to change')
    if (operation.method !== 'DELETE') return idOf(kind)
    // Only a disabled domain can be deleted.
    return make(kind, kind === 'domains' ? { enabled: false } : {})
  }

  async function pathFor(operation: Operation): Promise<string> {
    let { path } = operation
    const collection = collectionOf(operation)
    for (const [placeholder, name = ''] of operation.path.matchAll(/\{(\w+)\}/g)) {
      path = path.replace(placeholder, await idFor(operation, kinds[name] ?? collection))
    }
    return path
  }

  /** Creates the member, grant or binding that the operation reads or deletes. */
  async function relate(operation: Operation, path: string): Promise<void> {
    if (operation.method === 'PUT') return
    const opposite = all.find(({ id }) => id === opposites[operation.id])
    if (opposite) {
      const joined = path.replace(/[^/]*$/, opposite.path.split('/').at(-1) ?? '')
      const body = opposite.body ? { body: await bodyOf(opposite) } : {}
      await request(joined, { method: 'POST', ...body })
    }
    const puts = all.some(
      (other) => other.method === 'PUT' && other.path === operation.path && !other.body,
    )
    if (puts) await request(path, { method: 'PUT' })
  }

  async function prepareFirstPassword({ path }: Operation) {
    const { password_link } = await request<{ password_link: { secret: string } }>(
      `/v3/users/${await make('users')}/password-link`,
      { method: 'POST' },
    )
    const { secret } = password_link
    return { path, token: admin, body: { secret, password: 'correct horse battery' } }
  }

  async function prepareOwnPassword(operation: Operation) {
    const id = await identities.addUser({ name: `own password ${newId()}`, passwordHash })
    const token = await insertToken(database, { userId: id })
    const path = operation.path.replace('{id}', id)
    return { path, token, body: operation.example }
  }

  async function prepareUnlinking({ path }: Operation) {
    const id = await identities.addUser({ name: `linked ${newId()}`, passwordHash })
    const login = await linkedLogin(id)
    await request('/v3/linked_logins', { method: 'POST', body: { linked_logins: [login] } })
    const named = path.replace('{id}', id).replace('{provider_id}', login.provider_id)
    return { path: named, token: admin }
  }

  /** A user with a second factor, which is confirmed unless that is the operation. */
  async function prepareFactor({ id: operationId, path, example }: Operation) {
    const user_id = await identities.addUser({ name: `factor ${newId()}`, passwordHash })
    const id = newId()
    const now = Date.now()
    const row = {
      id,
      user_id,
      name: 'phone',
      secret: secretKey.encrypt(factorSecret, totpContext(id, user_id)),
      created_at: now,
      confirmed_at: operationId === 'confirmFactor' ? null : now,
      last_step: 0,
    }
    await identities.change(database.db.insertInto('factors').values(row).compile())
    const factor = { method: 'totp', at: now } as const
    const token = await insertToken(database, { userId: user_id, factor })
    const passcode = generateSync({ secret: factorSecret })
    const hasCode = operationId === 'confirmFactor' || operationId === 'verifyFactor'
    const body = hasCode ? { factor: { passcode } } : example
    return {
      path: path.replace('{id}', user_id).replace('{factor_id}', id),
      token: operationId === 'resetFactors' ? admin : token,
      ...(body !== undefined && { body }),
    }
  }

  /** A time at which changes are recorded already. */
  async function recordedTime(): Promise<string> {
    await findServer()
    return await newestChangeTime(database)
  }

  return {
    /** What a call of the operation needs to succeed. */
    async prepare(operation: Operation): Promise<CallOptions & { path: string; token: string }> {
      if (operation.id === 'changeOwnPassword') return await prepareOwnPassword(operation)
      if (operation.id === 'unlinkLogin') return await prepareUnlinking(operation)
      if (isOfOwnFactor(operation)) return await prepareFactor(operation)
      if (operation.id === 'setFirstPassword') return await prepareFirstPassword(operation)
      const path = await pathFor(operation)
      await relate(operation, path)
      // This operation revokes its token, so it gets its own.
      const token = operation.id === 'revokeToken' ? await renewToken(url, admin) : admin
      // The only operation without a body that needs parameters in its query.
      const query = operation.id === 'getServerDiff' ? `?from=${await recordedTime()}` : ''
      if (!operation.body || operation.id === 'issueToken') return { path, token, query }
      return { path, token, body: await bodyOf(operation) }
    },
  }
}
export type OperationFixtures = Awaited<ReturnType<typeof createOperationFixtures>>
