import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noLoginRules, operations, type EventDto, type Operation } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { callOperation } from '../../testing/call-operation.ts'
import { ask, type ClientResponse } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { databaseMessage, doomed, failMarkedEvents } from '../../testing/failing-event-log.ts'
import {
  grantPath,
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import {
  createOperationFixtures,
  type OperationFixtures,
} from '../../testing/platform-world/operation-fixtures.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const all: readonly Operation[] = operations
/** Logins and claims have their own tests, and queries change nothing. */
const apart = new Set([
  'issueToken',
  'checkPolicy',
  'previewCloudAccountMapping',
  'previewIdentityProviderMapping',
  'syncServer',
  'claimServers',
])
const changing = all.filter(
  ({ id, method }) => method !== 'GET' && method !== 'HEAD' && !apart.has(id),
)

/** Audit actions of operations with a different name. */
const auditNames: Readonly<Record<string, readonly [action: string, targetType: string]>> = {
  revokeToken: ['logout', 'user'],
  changeOwnPassword: ['update', 'user'],
  createPasswordLink: ['update', 'user'],
  linkLogins: ['link', 'user'],
  updateLocalPasswords: ['update', 'domain'],
  updateLoginRules: ['update', 'domain'],
  unlinkLogin: ['unlink', 'user'],
  createFactor: ['add_factor', 'user'],
  confirmFactor: ['confirm_factor', 'user'],
  verifyFactor: ['verify_factor', 'user'],
  updateFactor: ['update_factor', 'user'],
  deleteFactor: ['delete_factor', 'user'],
  replaceRecoveryCodes: ['replace_recovery_codes', 'user'],
  resetFactors: ['reset_factors', 'user'],
  setFirstPassword: ['update', 'user'],
  addGroupUser: ['join', 'group'],
  removeGroupUser: ['leave', 'group'],
  addGroupUsers: ['join', 'group'],
  removeGroupUsers: ['leave', 'group'],
  enableUser: ['update', 'user'],
  disableUser: ['update', 'user'],
  joinUserProjects: ['grant', 'user'],
  leaveUserProjects: ['revoke', 'user'],
  joinGroupProjects: ['grant', 'group'],
  leaveGroupProjects: ['revoke', 'group'],
  addUserMetadata: ['update', 'server'],
  setUserMetadata: ['update', 'server'],
  enableCloudAccount: ['update', 'cloudaccount'],
  disableCloudAccount: ['update', 'cloudaccount'],
  bindPolicy: ['bind', 'role'],
  unbindPolicy: ['unbind', 'role'],
  mergeServerMetadata: ['update', 'server'],
  redactServerHistory: ['redact', 'server'],
  replaceServerMetadata: ['update', 'server'],
  createCloudAccount: ['create', 'cloudaccount'],
  updateCloudAccount: ['update', 'cloudaccount'],
  deleteCloudAccount: ['delete', 'cloudaccount'],
  syncCloudAccount: ['sync', 'cloudaccount'],
  confirmGoneServers: ['confirm', 'cloudaccount'],
  testCloudAccount: ['test', 'cloudaccount'],
  testNewCloudAccount: ['test', 'cloudaccount'],
  testIdentityProvider: ['test', 'identity_provider'],
  testNewIdentityProvider: ['test', 'identity_provider'],
  changeServerConfig: ['change-config', 'server'],
  cancelServerDeletion: ['cancel-delete', 'server'],
  cancelTask: ['cancel', 'task'],
  cancelBatch: ['cancel', 'batch'],
}
const toNoun = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)

function deedOf({ id }: Operation): readonly [string, string] {
  const [, verb, thing] = /^(create|update|delete)([A-Z]\w+)$/.exec(id) ?? []
  const [, performed] = /^(start|stop|restart|reset|suspend|resume|purge)Server$/.exec(id) ?? []
  if (performed !== undefined) return [performed, 'server']
  const [, given, holder] =
    /^(grant|revoke)(?:Project|Domain|System)(User|Group)Role$/.exec(id) ?? []
  const actionAndType = auditNames[id] ?? [
    verb ?? given,
    toNoun(thing ?? holder ?? '').toLowerCase(),
  ]
  assert.ok(
    actionAndType[0] !== undefined && actionAndType[1] !== '',
    `no audit action is known for ${id}`,
  )
  return [actionAndType[0], actionAndType[1]]
}

/** Updates whose fields are secrets: recorded without their values. */
const secretFields: Readonly<Record<string, readonly string[]>> = {
  changeOwnPassword: ['password'],
  createPasswordLink: ['password_link'],
  setFirstPassword: ['password'],
}

const factorFields = new Set(['factor', 'factors', 'name', 'recovery_codes'])

/** Who did it, if people do it to themselves. */
const bySelf =
  /^(?:changeOwnPassword|setFirstPassword|(?:create|confirm|verify|update|delete)Factor|replaceRecoveryCodes)$/
const selfOf = ({ id }: Operation, { target_id }: EventDto): string | undefined =>
  bySelf.test(id) ? target_id : undefined

/** Client headers do not change the recorded address. */
const claims = { 'x-forwarded-for': '198.51.100.9', forwarded: 'for=198.51.100.9' }

onEngineOfLane('the audit log', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let fixtures: OperationFixtures
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    fixtures = await createOperationFixtures(platform, identityApi.admin)
    await failMarkedEvents(platform.database)
  })
  after(() => platform.close())

  const toldOf = (requestId: string) => identityApi.events(`request_id=${requestId}`)
  const only = (events: readonly EventDto[]): EventDto => {
    const [event, ...more] = events
    assert.ok(event && more.length === 0, `one event, not ${events.length}`)
    return event
  }

  /** The event is in the transaction of the change: without it the change fails. */
  async function assertUndone(
    send: (headers: Record<string, string>) => Promise<ClientResponse>,
  ): Promise<void> {
    const before = await identityApi.digest()
    const answer = await send({ 'x-request-id': `${doomed}${newId()}` })
    assertError(answer, 'InternalServerError')
    assert.ok(!answer.text.includes(databaseMessage), answer.text)
    assert.deepEqual(await identityApi.digest(), before)
  }

  describe('records actor, action, target and address of every change; a change that cannot be recorded fails', () => {
    for (const operation of changing) {
      test(`REL-24: ${operation.id}`, async () => {
        const { path, token, body } = await fixtures.prepare(operation)
        const isSubject = operation.id === 'revokeToken'
        const send = (headers: Record<string, string>) =>
          ask<Record<string, { id: string; name: string }>>(platform.url, path, {
            method: operation.method,
            token,
            headers: { ...headers, ...claims, ...(isSubject && { 'x-subject-token': token }) },
            ...(body !== undefined && { body }),
          })
        await assertUndone(send)

        const requestId = `change-${newId()}`
        const answer = await send({ 'x-request-id': requestId })
        assert.ok(answer.status < 300, answer.text)
        assert.equal(answer.headers.get('x-request-id'), requestId)

        const told = await toldOf(requestId)
        // A batch has an event of its own, and one for each task.
        const isBatch = operation.id === 'createBatch'
        assert.equal(told.length, isBatch ? 2 : 1)
        const event = only(isBatch ? told.filter((one) => one.action === 'create') : told)
        const { action, target_type, target_id, result, ip } = event
        assert.deepEqual([action, target_type], deedOf(operation))
        assert.deepEqual([result, ip, event.request_id], ['success', '127.0.0.1', requestId])
        // The people who set their own password; all else is done by the administrator.
        const self = selfOf(operation, event)
        assert.equal(event.user_id, self ?? identityApi.adminId)
        assert.equal(event.user === 'sysadmin', self === undefined)
        // On PostgreSQL it is the time of the database, which the process knows only roughly.
        assert.ok(Math.abs(Date.parse(event.time) - Date.now()) < 60_000, event.time)

        const [made] = Object.values(answer.body ?? {}).flat() as {
          id?: string
          user_id?: string
        }[]
        const isOfPath = path.split('/').includes(target_id)
        assert.ok(
          isSubject
            ? target_id === identityApi.adminId
            : target_id === (made?.id ?? made?.user_id) || isOfPath,
        )
        assertChanges(operation, event, body as Record<string, object> | undefined)
      })
    }
  })

  /** The state before and after, if it exists. */
  function assertChanges({ id }: Operation, { changes, action }: EventDto, body?: object): void {
    const pairs = Object.values(changes)
    const sent = Object.values(body ?? {})[0] as Record<string, unknown> | undefined
    switch (action) {
      case 'create':
        if (id === 'createBatch') {
          assert.deepEqual(changes, {
            action: [null, 'start'],
            params: [null, {}],
            servers: [null, 1],
          })
          break
        }
        assert.ok(pairs.length > 1 && pairs.every(([before]) => before === null), id)
        assert.deepEqual(changes['name'], [null, sent?.['name']])
        break
      case 'update': {
        const secret = secretFields[id]
        if (id === 'updateLocalPasswords') {
          assert.deepEqual(changes['local_passwords'], ['break_glass', 'on'])
          break
        }
        if (id === 'updateLoginRules') {
          assert.deepEqual(changes['login_rules'], [
            noLoginRules,
            { ...noLoginRules, session_idle: 3_600 },
          ])
          break
        }
        const isSwitch = /^(?:enable|disable)/.test(id)
        if (isSwitch) {
          const isEnabled = id.startsWith('enable')
          assert.deepEqual(changes, { enabled: [!isEnabled, isEnabled] })
          break
        }
        assert.deepEqual(Object.keys(changes), secret ?? Object.keys(sent ?? {}))
        if (secret) break
        for (const [key, [before, after]] of Object.entries(changes)) {
          assert.deepEqual(after, sent?.[key], key)
          assert.notDeepEqual(before, after, key)
        }
        break
      }
      case 'test':
      case 'sync':
        assert.deepEqual(Object.keys(changes).length > 0, id.startsWith('testNew'))
        break
      case 'grant':
      case 'join':
      case 'bind':
      case 'link':
        assert.deepEqual(
          pairs.map(([before, after]) => [before, typeof after]),
          [[null, 'object']],
        )
        break
      case 'revoke':
      case 'leave':
      case 'unbind':
      case 'unlink':
        assert.deepEqual(
          pairs.map(([before, after]) => [typeof before, after]),
          [['object', null]],
        )
        break
      case 'cancel':
        assert.equal(changes['status']?.[1], 'cancelled')
        break
      case 'cancel-delete':
        assert.deepEqual(changes['pending_deleted'], [true, false])
        break
      case 'purge':
        assert.deepEqual(changes['deleted'], [false, true])
        break
      case 'logout':
      case 'confirm':
        break
      // Never a secret or a code: the name of the factor at most.
      case 'add_factor':
      case 'confirm_factor':
      case 'verify_factor':
      case 'update_factor':
      case 'delete_factor':
      case 'replace_recovery_codes':
      case 'reset_factors':
        assert.deepEqual(
          Object.keys(changes).filter((name) => !factorFields.has(name)),
          [],
        )
        break
      case 'redact':
        assert.deepEqual(Object.keys(changes), [sent?.['field']])
        break
      default:
        if (action === 'delete' && id !== 'deleteServer') break
        // A task. The parameters of the action are part of the event.
        assert.deepEqual(typeof changes['task_id']?.[1], 'string', action)
        assert.ok(changes['status']?.[0] !== changes['status']?.[1], action)
        for (const [name, value] of Object.entries(sent ?? {})) {
          assert.deepEqual(changes[`params.${name}`], [null, value])
        }
    }
  }

  test('does not record an update that changes nothing', async () => {
    const project = await identityApi.add((plan) => plan.project())
    const path = `/v3/projects/${project}`
    const answer = await identityApi.order('PUT', path, { project: { enabled: true } })
    assert.deepEqual(await toldOf(answer.headers.get('x-request-id') ?? ''), [])
  })

  test('records PATCH like PUT', async () => {
    const project = await identityApi.add((plan) => plan.project())
    const answer = await identityApi.order('PATCH', `/v3/projects/${project}`, {
      project: { description: 'changed' },
    })
    const event = only(await toldOf(answer.headers.get('x-request-id') ?? ''))
    assert.deepEqual([event.action, event.target_id], ['update', project])
    assert.deepEqual(event.changes, { description: ['', 'changed'] })
    assert.deepEqual([event.project_id, event.domain_id], [project, 'default'])
  })

  test('records all fields of a new resource except secrets', async () => {
    const answer = await identityApi.order('POST', '/v3/users', {
      user: { name: newId(), email: 'ada@example.org', password: 'tussocky moorland' },
    })
    const { changes } = only(await toldOf(answer.headers.get('x-request-id') ?? ''))
    assert.deepEqual(changes['email'], [null, 'ada@example.org'])
    assert.deepEqual(changes['enabled'], [null, true])
    assert.ok(!('password' in changes) && !('password_hash' in changes))
    // A new password is recorded without its value.
    const path = `/v3/users/${answer.body['user']?.id}`
    const changed = await identityApi.order('PUT', path, {
      user: { password: 'moorland tussocks' },
    })
    const { changes: told } = only(await toldOf(changed.headers.get('x-request-id') ?? ''))
    assert.deepEqual(told, { password: ['(hidden)', '(hidden)'] })
  })

  test('records every denied change with its caller', async () => {
    const viewer = await identityApi.addCaller({ project: [identityApi.role('project_viewer')] })
    // Actions on own resources are never denied; they are 404 or invalid.
    const open = new Set([
      'revokeToken',
      'changeOwnPassword',
      'setFirstPassword',
      ...['create', 'update', 'delete'].map((verb) => `${verb}Credential`),
      'unlinkLogin',
      ...['create', 'confirm', 'verify', 'update', 'delete'].map((verb) => `${verb}Factor`),
      'replaceRecoveryCodes',
      'updateView',
      'deleteView',
      // The permission is that of the task's action.
      'cancelTask',
      'cancelBatch',
    ])
    for (const operation of changing) {
      const requestId = `denied-${newId()}`
      const answer = await callOperation(platform.url, operation, {
        token: viewer.token,
        headers: { 'x-request-id': requestId, 'x-subject-token': identityApi.admin, ...claims },
      })
      const told = await toldOf(requestId)
      assert.equal(answer.status === 403, !open.has(operation.id), operation.id)
      if (open.has(operation.id)) {
        assert.deepEqual(told, [], operation.id)
        continue
      }
      const event = only(told)
      assert.deepEqual(
        [event.result, event.user_id, event.ip, event.changes['operation']],
        ['denied', viewer.id, '127.0.0.1', [null, operation.id]],
      )
      // With the action of the denied change.
      assert.equal(event.action, deedOf(operation)[0])
      if (operation.path.startsWith('/servers')) assert.equal(event.target_type, 'server')
      assert.equal(event.domain_id, 'default')
      assert.equal(event.target_id, operation.path.includes('{') ? 'none' : '')
    }
  })

  test('records denials found while a change is applied', async () => {
    const auditor = await identityApi.addCaller({ system: [identityApi.role('auditor')] })
    for (const [id, targetType] of [
      ['cancelTask', 'task'],
      ['cancelBatch', 'batch'],
    ] as const) {
      const operation = all.find((one) => one.id === id)
      assert.ok(operation)
      const { path } = await fixtures.prepare(operation)
      const denied = await identityApi.call(auditor.token, 'POST', path)
      assert.equal(denied.status, 403, denied.text)
      const { result, action, target_type, target_id } = only(await toldOf(denied.body.request_id))
      assert.deepEqual(
        [result, action, target_type, target_id],
        ['denied', 'cancel', targetType, path.split('/')[2]],
      )
    }
    const assigner = await identityApi.addRole('system', 'allow identity role_assignments *')
    const clerk = await identityApi.addCaller({ system: [assigner.id] })
    const path = grantPath(identityApi.role('admin'), { user: clerk.id }, 'system')
    const answer = await identityApi.call(clerk.token, 'PUT', path)
    assert.equal(answer.status, 403)
    const event = only(await toldOf(answer.body.request_id))
    assert.deepEqual([event.result, event.action, event.target_id], ['denied', 'grant', clerk.id])
  })

  test('a denied change stays denied when the event cannot be recorded', async () => {
    const { token } = await identityApi.addCaller()
    const before = await identityApi.digest()
    const answer = await ask(platform.url, '/v3/domains', {
      method: 'POST',
      token,
      headers: { 'x-request-id': `${doomed}${newId()}` },
      body: { domain: { name: newId() } },
    })
    assert.ok(answer.status === 403 || answer.status >= 500, answer.text)
    assert.ok(!answer.text.includes(databaseMessage), answer.text)
    assert.deepEqual(await identityApi.digest(), before)
  })

  test('does not record reads, allowed or denied', async () => {
    const viewer = await identityApi.addCaller()
    for (const [token, status] of [
      [identityApi.admin, 200],
      [viewer.token, 403],
    ] as const) {
      const answer = await identityApi.call(token, 'GET', '/v3/domains')
      assert.equal(answer.status, status)
      assert.deepEqual(await toldOf(answer.headers.get('x-request-id') ?? ''), [])
    }
  })

  test('SEC-36, SEC-64: contains no password or secret of any change', async () => {
    const { db } = platform.database
    const text = JSON.stringify(await db.selectFrom('events').selectAll().execute())
    const sealed = await db.selectFrom('access_keys').select('secret').execute()
    assert.ok(text.includes('create') && sealed.length > 0, 'there is something to look through')
    for (const secret of [
      // The secrets of the contract examples that were sent above.
      'correct horse battery',
      'a much better one',
      'tussocky moorland',
      'moorland tussocks',
      'argon2',
      'mt1_',
      identityApi.admin,
      ...sealed.map((key) => key.secret),
    ]) {
      assert.ok(!text.includes(secret), secret)
    }
  })
})
