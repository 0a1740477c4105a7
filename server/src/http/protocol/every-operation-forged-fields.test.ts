import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type OperationId, type Server, type Token } from '@muster/contract'
import type { TObject } from 'typebox'
import type { ClientResponse } from '../../testing/client.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { itemsOf } from '../../testing/list-items.ts'
import { requests } from '../../testing/platform-world/persona-requests.ts'
import type { Parts } from '../../testing/platform-world/request-kinds.ts'
import type { Row } from '../../testing/platform-world/persona-rows.ts'
import { rowsOf } from '../../testing/platform-world/persona-table.ts'
import type { Resources } from '../../testing/platform-world/persona-resources.ts'
import {
  operationOf,
  type PersonaName,
  startPlatformWorld,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { changedTables } from '../../testing/platform-world/snapshots.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const ids = sampleOperations(operations).map(({ id }) => id)

const forgedKeys = [
  'target',
  'user_id',
  'project_id',
  'roles',
  'is_admin',
  '__proto__',
  'constructor',
]

/** The expected outcomes for a resource of another domain, or for any resource. */
function foreignRow(id: OperationId): Row {
  const rows = new Map(rowsOf(id))
  return rows.get('otherDomain') ?? (rows.get('home') as Row)
}

type Members = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The paths of all objects in a body, where a key can be added. */
function placesIn(body: unknown, way: readonly string[] = []): string[][] {
  if (!isObject(body)) return []
  const below = Object.entries(body).flatMap(([key, value]) => placesIn(value, [...way, key]))
  return [[...way], ...below]
}

/** A copy of the body with additional keys. */
function withKeys(body: unknown, [step, ...rest]: readonly string[], added: Members): Members {
  const members = body as Members
  if (step !== undefined) return { ...members, [step]: withKeys(members[step], rest, added) }
  return { ...members, ...added }
}

function schemaAt(id: OperationId, way: readonly string[]): TObject | undefined {
  let schema = operationOf(id).body as TObject | undefined
  for (const step of way) schema = schema?.properties?.[step] as TObject | undefined
  return schema
}

/** Paths where the caller chooses the keys. */
const isMap = (id: OperationId, way: readonly string[]) =>
  Object.hasOwn(schemaAt(id, way) ?? {}, 'patternProperties')

const isKnown = (id: OperationId, way: readonly string[], key: string): boolean =>
  Object.hasOwn(schemaAt(id, way)?.properties ?? {}, key)

/** Asserts a 400 that names the keys, or the first of them. */
function isNamed(answer: ClientResponse, keys: readonly string[]): boolean {
  const { fields = [] } = answer.body as { fields?: { path: string }[] }
  const named = fields.map(({ path }) => path.split('.').at(-1) ?? '')
  return answer.status === 400 && named.length > 0 && named.every((key) => keys.includes(key))
}

describe('SEC-10: no request field widens the permissions of the token', () => {
  let running: RunningPlatformWorld
  let resources: Resources
  /** Fields that claim another identity. */
  let claim: { readonly userId: string; readonly projectId: string; readonly token: string }
  before(async () => {
    running = await startPlatformWorld('sqlite')
    const { organisation } = running
    resources = await organisation.addResources('otherDomain')
    const { userId, place, token = '' } = organisation.persona('admin')
    claim = { userId, projectId: place.projectId, token }
  })
  after(() => running.platform.close())

  // An entry `__proto__` becomes an ordinary key.
  const forge = (keys: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      keys.map((key) => [key, key === 'project_id' ? claim.projectId : claim.userId]),
    )
  const callAs = (id: OperationId, name: PersonaName, edit?: (parts: Parts) => Parts) =>
    running.organisation.call(id, {
      resources,
      token: running.organisation.persona(name).token,
      ...(edit && { edit }),
    })

  /**
   * Permission is checked first: callers without it are denied, all others get an error about the
   * unknown keys. Everyone is allowed where users have resources of their own.
   */
  async function isUnmoved(
    id: OperationId,
    name: PersonaName,
    keys: readonly string[],
    edit: (parts: Parts) => Parts,
  ): Promise<void> {
    const { access, method, permission } = operationOf(id)
    const isOpen = permission?.at.includes('self') === true
    const answer = await callAs(id, name, edit)
    const outcome = foreignRow(id)[name]
    const what = `${name}, ${keys.join(' ')}: ${answer.status} ${answer.text}`
    if (outcome === 'unauthenticated' && access !== 'public') assert.equal(answer.status, 401, what)
    else if (outcome === 'forbidden' && !isOpen) assert.equal(answer.status, 403, what)
    else if (method === 'HEAD') assert.equal(answer.status, 400, what)
    else assert.ok(isNamed(answer, keys), what)
  }

  /** One by one for the administrator, all together for the others. */
  async function isUnmovedBy(
    id: OperationId,
    keys: readonly string[],
    editWith: (added: Record<string, string>) => (parts: Parts) => Parts,
  ): Promise<void> {
    for (const key of keys) await isUnmoved(id, 'admin', [key], editWith(forge([key])))
    for (const name of ['none', 'viewer', 'domainAdmin'] as const) {
      await isUnmoved(id, name, keys, editWith(forge(keys)))
    }
  }

  async function changesNothing(id: OperationId, work: () => Promise<void>): Promise<void> {
    const watched = requests[id].changes ? undefined : (['identity_version'] as const)
    const earlier = await running.takeSnapshot(watched)
    await work()
    const changed = changedTables(earlier, await running.takeSnapshot(watched))
    assert.deepEqual(
      changed.filter((table) => table !== 'events'),
      [],
    )
  }

  for (const id of ids.filter((each) => operationOf(each).body !== undefined)) {
    test(`SEC-10: an unknown key in the body of ${id} is rejected by name`, () =>
      changesNothing(id, async () => {
        const { body } = requests[id].parts({ resources, token: claim.token, isDone: false })
        for (const way of placesIn(body).filter((each) => !isMap(id, each))) {
          const keys = forgedKeys.filter((key) => !isKnown(id, way, key))
          await isUnmovedBy(id, keys, (added) => (parts) => ({
            ...parts,
            body: withKeys(parts.body, way, added),
          }))
        }
      }))
  }

  for (const id of ['mergeServerMetadata', 'replaceServerMetadata'] as const) {
    test(`SEC-10: any key in the metadata of ${id} is plain metadata`, async () => {
      const show = async () => {
        const { body } = await callAs('getServer', 'admin')
        const { metadata, ...rest } = (body as { server: Server }).server
        return { metadata, rest: { ...rest, update_version: 0, updated_at: '' } }
      }
      const { rest } = await show()
      const tags = forge(forgedKeys.filter((key) => key !== '__proto__'))
      const send = (added: Members) =>
        callAs(id, 'admin', (parts) => ({
          ...parts,
          body: withKeys(parts.body, ['metadata'], added),
        }))
      // The only name that is not allowed as a key.
      assert.ok(isNamed(await send(forge(['__proto__'])), ['__proto__']))
      const earlier = await running.takeSnapshot()
      const answer = await send(tags)
      assert.equal(answer.status, 200, answer.text)
      const changed = changedTables(earlier, await running.takeSnapshot())
      assert.deepEqual(changed, requests[id].changes?.toSorted())
      const after = await show()
      assert.deepEqual(after.rest, rest)
      for (const [key, value] of Object.entries(tags)) {
        assert.equal(after.metadata[`user:${key}`], value, key)
      }
    })
  }

  // The test client does not send a GET or HEAD with a body.
  for (const id of ids.filter((each) => !/GET|HEAD/.test(operationOf(each).method))) {
    if (operationOf(id).body !== undefined) continue
    test(`SEC-10: ${id} rejects any body`, () =>
      changesNothing(id, async () => {
        for (const name of ['none', 'viewer', 'domainAdmin', 'admin'] as const) {
          const answer = await callAs(id, name, (parts) => ({ ...parts, body: forge(forgedKeys) }))
          const outcome = foreignRow(id)[name]
          const expected = outcome === 'unauthenticated' ? 401 : outcome === 'forbidden' ? 403 : 400
          assert.equal(answer.status, expected, `${name}: ${answer.text}`)
        }
      }))
  }

  for (const id of ids) {
    test(`SEC-10: an unknown query parameter of ${id} is rejected by name`, () =>
      changesNothing(id, async () => {
        const known = Object.keys(operationOf(id).query?.properties ?? {})
        const keys = forgedKeys.filter((key) => !known.includes(key))
        await isUnmovedBy(id, keys, (added) => (parts) => ({
          ...parts,
          query: { ...parts.query, ...added },
        }))
      }))
  }

  test('SEC-10: known parameters only narrow the result', async () => {
    const { userId, projectId, domainId } = resources
    const values = new Map([
      ['user', userId],
      ['project', projectId],
      ['domain', domainId],
    ])
    let asked = 0
    const listing = operations.map(({ id }) => id).filter((each) => requests[each].shows)
    for (const id of listing) {
      for (const key of Object.keys(operationOf(id).query?.properties ?? {})) {
        const value = values.get(/(\w+)[_.]id$/.exec(key)?.[1] ?? '')
        if (value === undefined) continue
        for (const name of ['viewer', 'owner', 'domainAdmin'] as const) {
          // A difference needs its first moment.
          const answer = await callAs(id, name, ({ query: { from } = {}, ...parts }) => ({
            ...parts,
            query: { ...(from !== undefined && { from }), [key]: value },
          }))
          const { status } = answer
          if (status === 200) assert.deepEqual(itemsOf(answer), [], `${id} ${key} ${name}`)
          else assert.ok(status === 403 || status === 404, `${id} ${key} ${name}: ${status}`)
          asked += 1
        }
      }
    }
    assert.ok(asked > 20, String(asked))
  })

  const headersOf = ({ userId, projectId, token }: typeof claim) => ({
    'x-identity-status': 'Confirmed',
    'x-roles': 'admin',
    'x-role': 'admin',
    'x-user-id': userId,
    'x-user-name': 'sysadmin',
    'x-project-id': projectId,
    'x-tenant-id': projectId,
    'x-domain-id': 'default',
    'x-is-admin': 'true',
    'x-is-admin-project': 'True',
    'x-system-scope': 'all',
    'openstack-system-scope': 'all',
    'x-service-token': token,
    'x-service-roles': 'admin',
    'x-target': userId,
    'x-http-method-override': 'GET',
    authorization: `Bearer ${token}`,
    cookie: `__Host-muster=${token}; muster_session=${token}; X-Auth-Token=${token}`,
  })

  const claiming = ({ headers, ...parts }: Parts): Parts => ({
    ...parts,
    headers: { ...headersOf(claim), ...headers },
  })
  const impostors = ['none', 'expired', 'unscoped', 'viewer', 'domainAdmin'] as const
  // Tokens differ each time, and metrics change: see below.
  const unsteady = new Set<OperationId>(['issueToken', 'showMetrics'])

  for (const id of ids.filter((each) => !unsteady.has(each))) {
    test(`SEC-10: headers that claim to be the administrator do not change a byte of ${id}`, () =>
      changesNothing(id, async () => {
        for (const name of impostors) {
          const clean = await callAs(id, name)
          const forged = await callAs(id, name, claiming)
          assert.deepEqual(comparableParts(forged), comparableParts(clean), name)
        }
      }))
  }

  test('SEC-10: headers that claim to be the administrator give no other token and no metrics', async () => {
    for (const name of impostors) {
      const tokens = [await callAs('issueToken', name), await callAs('issueToken', name, claiming)]
      const [clean, forged] = tokens.map(({ status, body }) => {
        const { token } = body as { token?: Token }
        return { status, user: token?.user, project: token?.project, policies: token?.policies }
      })
      assert.deepEqual(forged, clean, name)
      const shown = await callAs('showMetrics', name, claiming)
      const outcome = foreignRow('showMetrics')[name]
      assert.equal(shown.status, outcome === 'unauthenticated' ? 401 : 403, name)
    }
  })
})
