import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { ask } from '../../testing/client.ts'
import { pathWith } from '../../testing/contract-client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { addTenant, isTenantKind, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import {
  createDraw,
  addRandomOrganisation,
} from '../../testing/identity-world/random-organisation.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const all: readonly Operation[] = operations
const guarded = all.filter(({ permission }) => permission !== undefined)
const reads = all.filter(
  ({ method, path, access }) =>
    method === 'GET' && access === 'token' && path !== '/v3/auth/tokens',
)
const lists = reads.filter(({ query }) => query?.properties['marker'] !== undefined)

const callers = ['domain_admin', 'project_owner', undefined] as const
type CallerRole = (typeof callers)[number]

const atOnce = 16

onPostgresFirst('resources of other tenants', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let mine: Tenant
  let foreign: Tenant
  let roleId: string
  let policyId: string
  const people = new Map<CallerRole, { userId: string; token: string }>()
  const tokenOf = (role: CallerRole) => people.get(role)?.token ?? ''
  before(async () => {
    platform = await startPlatform({ engine })
    const { database } = platform
    logins = await startMeasuredLogins(platform)
    mine = await addTenant(database, 'Mine')
    foreign = await addTenant(database, 'Foreign')
    for (const role of callers) people.set(role, await mine.person(role))
    const find = (table: 'roles' | 'policies') =>
      database.db
        .selectFrom(table)
        .select('id')
        .where('name', '=', 'project_viewer')
        .executeTakeFirstOrThrow()
    roleId = (await find('roles')).id
    policyId = (await find('policies')).id
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const read = async (role: CallerRole, address: string) =>
    comparableParts(await ask(logins.url, address, { token: tokenOf(role) }))

  /** The resource type of a path parameter. */
  const kindOf = ({ path }: Operation, name: string) =>
    name === 'id' ? (path.split('/')[2] ?? '') : `${name.slice(0, -3)}s`
  const parametersOf = ({ path }: Operation) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const ownParameters = (operation: Operation, ids = mine.ids) =>
    Object.fromEntries(
      parametersOf(operation).map((name) => {
        const kind = kindOf(operation, name)
        if (isTenantKind(kind)) return [name, ids[kind]]
        return [name, kind === 'roles' ? roleId : name === 'policy_id' ? policyId : newId()]
      }),
    )

  /** Users can read their own resources without a role. */
  const withOneself = (role: CallerRole) => ({
    ...mine.ids,
    users: people.get(role)?.userId ?? '',
  })

  /** Every list and detail, in every sort order, whole and by pages. */
  function addressesOf(ids: Tenant['ids']): string[] {
    return reads.flatMap((operation) => {
      const path = pathWith(operation, ownParameters(operation, ids))
      const properties = operation.query?.properties ?? {}
      const { enum: sortKeys = [] } = (properties['sort_key'] ?? {}) as { enum?: string[] }
      return [
        path,
        ...sortKeys.map((key) => `${path}?sort_key=${key}&sort_dir=desc`),
        ...(properties['limit'] ? [`${path}?limit=2`] : []),
        ...(properties['effective'] ? [`${path}?effective&include_names`] : []),
      ]
    })
  }

  for (const role of callers) {
    test(`SEC-61: do not change a byte of what others read: ${role ?? 'no role'}`, async () => {
      const addresses = [
        ...addressesOf(mine.ids),
        ...addressesOf(foreign.ids).filter((address) => !address.includes('?')),
        ...addressesOf(withOneself(role)).filter((address) => address.startsWith('/v3/users/')),
      ]
      const readAll = async () => {
        const answers = []
        for (let start = 0; start < addresses.length; start += atOnce) {
          const some = addresses.slice(start, start + atOnce)
          answers.push(...(await Promise.all(some.map((address) => read(role, address)))))
        }
        return answers
      }
      const before = await readAll()
      const good = before.filter(({ status }) => status === 200)
      assert.ok(good.length >= 15, `${good.length} of ${addresses.length}`)
      const added = await addRandomOrganisation(platform.database, createDraw(61), {
        label: `foreigners beside ${role}`,
        hasRoles: false,
      })
      assert.ok(added >= 300)
      assert.deepEqual(await readAll(), before)
    })
  }

  /** Warms the caches for the caller, so that later requests run the same statements. */
  async function introduce(role: CallerRole): Promise<void> {
    const token = tokenOf(role)
    await ask(logins.url, '/servers', { token })
    await ask(logins.url, '/v3/domains/none', { method: 'DELETE', token })
  }

  interface Sending {
    readonly method: string
    readonly body?: unknown
    /** The path and body for a given id. */
    readonly address: (id: string) => string
    readonly bodyOf?: (id: string) => unknown
  }

  /** Asserts that an invisible id and an unknown id get the same response. */
  async function assertAlike(role: CallerRole, sending: Sending, foreignId: string) {
    const answers = []
    // The first denial of an operation is recorded at once, repeats later.
    for (const id of [newId(), foreignId, newId()]) {
      logins.takeStatements()
      const body = sending.bodyOf?.(id) ?? sending.body
      const answer = await ask(logins.url, sending.address(id), {
        method: sending.method,
        token: tokenOf(role),
        ...(body !== undefined && { body }),
      })
      const { status, headers, text } = comparableParts(answer)
      const told = { status, headers, text: text.replaceAll(id, '<id>') }
      answers.push({ ...told, statements: logins.takeStatements() })
    }
    const [, ofForeign, ofNone] = answers
    assert.deepEqual(ofForeign, ofNone, `${sending.method} ${sending.address('<id>')}`)
    return ofNone?.status ?? 500
  }

  // Visibility is tested on both engines above; one role is enough for the second engine.
  for (const role of engine === 'sqlite' ? callers : (['domain_admin'] as const)) {
    test(`SEC-62: an invisible id in a path is treated as unknown: ${role ?? 'no role'}`, async () => {
      const statuses: number[] = []
      await introduce(role)
      for (const operation of guarded) {
        for (const name of parametersOf(operation)) {
          const kind = kindOf(operation, name)
          if (!isTenantKind(kind)) continue
          const sending: Sending = {
            method: operation.method,
            body: operation.example,
            address: (id) => pathWith(operation, { ...ownParameters(operation), [name]: id }),
          }
          statuses.push(await assertAlike(role, sending, foreign.ids[kind]))
        }
      }
      assert.ok(statuses.includes(404) && statuses.length > 60, String(statuses.length))
      // Only role assignments on the caller's own project return an empty list.
      assert.ok(statuses.every((status) => [200, 403, 404].includes(status)))
    })

    test(`SEC-62: an invisible id as a marker or filter is treated as unknown: ${role ?? 'no role'}`, async () => {
      await introduce(role)
      for (const operation of lists) {
        const path = pathWith(operation, ownParameters(operation, withOneself(role)))
        const schema = (operation.responses[200]?.body ?? {}) as { properties?: object }
        const [kind = ''] = Object.keys(schema.properties ?? {})
        const names = Object.keys(operation.query?.properties ?? {})
        for (const name of ['marker', ...names.filter((word) => /[._]id$/.test(word))]) {
          const noun = /(\w+)[._]id$/.exec(name)?.[1]
          const about = noun === undefined ? kind : noun === 'parent' ? 'domains' : `${noun}s`
          if (!isTenantKind(about)) continue
          const sending: Sending = {
            method: 'GET',
            address: (id) => `${path}?${name}=${id}`,
          }
          const status = await assertAlike(role, sending, foreign.ids[about])
          assert.ok(status < 500, `${path} ${name}`)
        }
      }
    })

    test(`SEC-62: an invisible id in a body is treated as unknown: ${role ?? 'no role'}`, async () => {
      await introduce(role)
      const { ids } = mine
      const check = { service: 'identity', resource: 'users', action: 'get' }
      const bodies: [string, string, keyof Tenant['ids'], (id: string) => unknown][] = [
        ['POST', '/v3/users', 'domains', (id) => ({ user: { name: 'new', domain_id: id } })],
        [
          'POST',
          '/v3/users',
          'projects',
          (id) => ({ user: { name: 'new', default_project_id: id } }),
        ],
        [
          'PUT',
          `/v3/users/${ids.users}`,
          'projects',
          (id) => ({ user: { default_project_id: id } }),
        ],
        ['POST', '/v3/groups', 'domains', (id) => ({ group: { name: 'new', domain_id: id } })],
        ['POST', '/v3/projects', 'domains', (id) => ({ project: { name: 'new', domain_id: id } })],
        ['POST', '/v3/projects', 'domains', (id) => ({ project: { name: 'new', parent_id: id } })],
        [
          'POST',
          '/v3/credentials',
          'projects',
          (id) => ({ credential: { type: 'aksk', project_id: id } }),
        ],
        [
          'POST',
          '/v3/credentials',
          'users',
          (id) => ({ credential: { type: 'aksk', project_id: ids.projects, user_id: id } }),
        ],
        ['POST', '/v3/policies/check', 'users', (id) => ({ check: { ...check, user_id: id } })],
        [
          'POST',
          '/v3/policies/check',
          'projects',
          (id) => ({ check: { ...check, project_id: id } }),
        ],
        ['POST', '/v3/policies/check', 'domains', (id) => ({ check: { ...check, domain_id: id } })],
        ['POST', '/v3/policies/check', 'users', (id) => ({ check: { ...check, target_id: id } })],
      ]
      for (const [method, path, kind, bodyOf] of bodies) {
        const sending = { method, address: () => path, bodyOf }
        const status = await assertAlike(role, sending, foreign.ids[kind])
        assert.ok(path.endsWith('/check') ? status < 500 : [400, 403, 404].includes(status), path)
      }
    })
  }

  // These are rejected before they reach the database.
  if (engine === 'sqlite') {
    test('SEC-62: hidden fields cannot be used to filter or sort', async () => {
      const words =
        'password_hash name_key secret email rules description id ca last_used_ip created_at __proto__'
      const hidden = words.split(' ')
      for (const operation of lists) {
        const path = pathWith(operation, ownParameters(operation))
        const known = Object.keys(operation.query?.properties ?? {})
        const { enum: sortKeys = [] } = (operation.query?.properties['sort_key'] ?? {}) as {
          enum?: string[]
        }
        const values = [foreign.ids.users, newId()]
        const unknown = hidden.filter((word) => !known.includes(word))
        const ofFilters = await Promise.all(
          values.map((value) =>
            Promise.all(unknown.map((name) => read('domain_admin', `${path}?${name}=${value}`))),
          ),
        )
        assert.deepEqual(ofFilters[0], ofFilters[1])
        const ofSorting = await Promise.all(
          hidden
            .filter((word) => !sortKeys.includes(word))
            .map((name) => read('domain_admin', `${path}?sort_key=${name}`)),
        )
        // The permission is checked before the parameters.
        const expected = (await read('domain_admin', path)).status === 403 ? 403 : 400
        for (const { status, text } of [...(ofFilters[0] ?? []), ...ofSorting]) {
          assert.equal(status, expected, `${path} ${text}`)
        }
      }
    })
  }

  test('SEC-62: a name conflict is reported only for visible names', async () => {
    const identities = createIdentityWorld(platform.database)
    const token = tokenOf('domain_admin')
    const create = (collection: string, key: string, name: string) =>
      ask(logins.url, `/v3/${collection}`, { method: 'POST', token, body: { [key]: { name } } })
    await identities.addProject('only there', foreign.ids.domains)
    await identities.addUser({ name: 'only there', domainId: foreign.ids.domains })
    for (const [collection, key] of [
      ['projects', 'project'],
      ['users', 'user'],
      ['groups', 'group'],
    ] as const) {
      const name = collection === 'groups' ? 'team of others' : 'only there'
      assert.equal((await create(collection, key, name)).status, 201, collection)
      const again = await create(collection, key, name.toUpperCase())
      assert.deepEqual([again.status, again.body.class], [409, 'DuplicateNameError'])
    }
  })

  test('SEC-62: conflicts of globally unique names are reported to callers who see everything', async () => {
    const body = { domain: { name: 'foreign' } }
    for (const role of callers) {
      const [taken, free] = [body, { domain: { name: 'nobody has this' } }].map((input) =>
        ask(logins.url, '/v3/domains', {
          method: 'POST',
          token: tokenOf(role),
          body: input,
        }),
      )
      assert.deepEqual(
        comparableParts(await (taken as NonNullable<typeof taken>)),
        comparableParts(await (free as NonNullable<typeof free>)),
      )
      assert.equal((await taken)?.status, 403)
    }
    const { token } = await mine.person('admin')
    const answer = await ask(logins.url, '/v3/domains', { method: 'POST', token, body })
    assert.deepEqual([answer.status, answer.body.class], [409, 'DuplicateNameError'])
    assert.equal(answer.body.details, 'A domain with this name already exists.')
  })
})
