import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CredentialDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  createKeyHolders,
  secretIn,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const now = Date.UTC(2027, 0, 31, 12, 0, 0, 250)
const later = '2027-02-28T08:30:00Z'

onEngineOfLane('access keys', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let ann: KeyHolder
  let admin: string
  before(async () => {
    platform = await startPlatform({ engine, clock: () => now })
    holders = createKeyHolders(platform, () => now)
    ann = await holders.addHolder()
    admin = await holders.plantAdmin()
  })
  after(() => platform.close())

  const idsOf = (credentials: readonly CredentialDto[]) => credentials.map(({ id }) => id).sort()
  const listIds = async (token: string, query = '') => {
    const { status, body } = await holders.credentials(token, 'GET', query)
    assert.equal(status, 200)
    return idsOf(body.credentials)
  }
  const show = (token: string, id: string) => holders.credentials(token, 'GET', `/${id}`)
  const change = (token: string, id: string, credential: object, method = 'PUT') =>
    holders.credentials(token, method, `/${id}`, { credential })
  const remove = (token: string, id: string) => holders.credentials(token, 'DELETE', `/${id}`)
  const countRows = async () =>
    (await platform.database.db.selectFrom('access_keys').select('id').execute()).length

  describe('a new key', () => {
    test('takes a random secret of the client, and by default the project of the token', async () => {
      const secret = 'S003bnI2dHJyTmVFUDlSRmNueEtkY3pDRjRNdldkcGM='
      const expire = Date.parse(later) / 1_000
      const blob = JSON.stringify({ expire, secret })
      const answer = await holders.tryToMake(ann.token, { blob })
      assert.equal(answer.status, 201, answer.text)
      const { id, project_id, expires_at, ...made } = answer.body.credential
      assert.deepEqual([project_id, made.secret], [ann.projectId, secret])
      assert.equal(expires_at, '2027-02-28T08:30:00.000000Z')
      assert.equal((await holders.login(`${id}:${secret}`)).status, 201)
      const shown = await show(ann.token, id)
      assert.ok(!shown.text.includes(secret))

      await holders.identities.assign({
        role: 'domain_viewer',
        userId: ann.userId,
        domainId: ann.userDomain,
      })
      const inDomain = await holders.plant(ann.userId, undefined, ann.userDomain)
      const noProject = await holders.tryToMake(inDomain, { blob })
      const [missing] = assertError(noProject, 'InputParameterError').fields ?? []
      assert.equal(missing?.path, 'credential.project_id')
      const both = await holders.tryToMake(ann.token, { blob, expires_at: later })
      assert.equal(
        assertError(both, 'InputParameterError').fields?.[0]?.path,
        'credential.blob.expire',
      )
      for (const [path, input] of [
        ['credential.blob.expire', { blob: JSON.stringify({ expire: 1 }) }],
        ['credential.expires_at', { expires_at: '1970-01-01T00:00:01Z' }],
      ] as const) {
        const past = await holders.tryToMake(ann.token, input)
        assert.equal(assertError(past, 'InputParameterError').fields?.[0]?.path, path)
      }
      const weak = JSON.stringify({ secret: 'a'.repeat(44) })
      const refused = await holders.tryToMake(ann.token, { blob: weak })
      const { fields } = assertError(refused, 'InputParameterError')
      assert.equal(fields?.[0]?.path, 'credential.blob.secret')
    })

    test('is returned in full with its secret, in a response that is not cached', async () => {
      const answer = await holders.tryToMake(ann.token, { project_id: ann.projectId })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const { id, blob, access_key, secret: plain, ...rest } = answer.body.credential
      assert.match(id, /^[0-9a-f]{32}$/)
      const { secret, ...others } = JSON.parse(blob) as Record<string, unknown>
      assert.match(String(secret), /^cms_[\w-]{43}$/)
      assert.deepEqual([access_key, plain], [id, secret])
      const known = await holders.login(`${access_key}:${plain}`)
      assert.equal(known.status, 201)
      assert.deepEqual(others, { expire: 0 })
      assert.deepEqual(rest, {
        type: 'aksk',
        name: '',
        user_id: ann.userId,
        project_id: ann.projectId,
        enabled: true,
        expires_at: null,
        restriction: null,
        created_at: '2027-01-31T12:00:00.250000Z',
        last_used_at: null,
        last_used_ip: '',
        links: { self: `${platform.authUrl}/v3/credentials/${id}` },
      })
    })

    test('has the requested name and expiry', async () => {
      const fields = {
        project_id: ann.projectId,
        name: 'Backup job',
        expires_at: later,
        blob: '{}',
      }
      const { body } = await holders.tryToMake(ann.token, fields)
      const { name, expires_at, blob } = body.credential
      assert.deepEqual([name, expires_at], ['Backup job', '2027-02-28T08:30:00.000000Z'])
      const { expire } = JSON.parse(blob) as { expire: number }
      assert.equal(expire, Date.UTC(2027, 1, 28, 8, 30) / 1_000)
    })

    test('requires a role of the user in the project', async () => {
      const bob = await holders.addHolder()
      const closed = await holders.addHolder()
      await holders.identities.change(
        platform.database.db
          .updateTable('projects')
          .set({ enabled: 0 })
          .where('id', '=', closed.projectId)
          .compile(),
      )
      await holders.identities.assign({
        role: 'project_owner',
        userId: ann.userId,
        projectId: closed.projectId,
      })
      // Ann administers the domain, but has no role in this project.
      const other = await holders.identities.addProject('of the domain', ann.projectDomain)
      await holders.identities.assign({
        role: 'domain_admin',
        userId: ann.userId,
        domainId: ann.projectDomain,
      })
      const rows = await countRows()
      for (const project_id of [bob.projectId, closed.projectId, other, 'nowhere', 'default']) {
        const answer = await holders.tryToMake(ann.token, { project_id })
        const { fields } = assertError(answer, 'InputParameterError')
        assert.deepEqual(
          fields?.map(({ path }) => path),
          ['credential.project_id'],
        )
      }
      // An administrator cannot create one for a user without a role in the project.
      const foreign = { user_id: ann.userId, project_id: bob.projectId }
      assertError(await holders.tryToMake(admin, foreign), 'InputParameterError')
      assert.equal(await countRows(), rows)
    })

    test('cannot expire in the past', async () => {
      const rows = await countRows()
      const ends = [
        '2027-01-31T12:00:00Z',
        '2027-01-31T12:00:00.250000Z',
        '1999-12-31T23:59:59Z',
        '2027-02-30T00:00:00Z',
        '2027-02-28T24:00:01Z',
        '2027-02-28',
        '1806048000',
        '',
        1_806_048_000,
        true,
      ]
      for (const expires_at of ends) {
        const fields = { project_id: ann.projectId, expires_at }
        const answer = await holders.tryToMake(ann.token, fields)
        assert.equal(answer.status, 400, `${expires_at}: ${answer.text}`)
        assert.match(answer.body.fields?.[0]?.path ?? '', /^credential\.expires_at/)
      }
      assert.equal(await countRows(), rows)
    })

    test('accepts only the supported type and fields', async () => {
      const rows = await countRows()
      const project_id = ann.projectId
      const strays = [
        'id',
        'secret',
        'access_key',
        'enabled',
        'created_at',
        'last_used_at',
        'roles',
      ]
      const invalidInputs: object[] = [
        ...['ec2', 'cert', 'totp', 'AKSK', '', 1, null].map((type) => ({ type, project_id })),
        ...['{"secret":"mine"}', 'mine', {}, null].map((blob) => ({ project_id, blob })),
        ...strays.map((name) => ({ project_id, [name]: 'x' })),
        ...['', ' padded', 'two\nlines', 'x'.repeat(256), null].map((name) => ({
          project_id,
          name,
        })),
      ]
      for (const fields of invalidInputs) {
        const { status, text } = await holders.tryToMake(ann.token, fields)
        assert.equal(status, 400, `${JSON.stringify(fields)}: ${text}`)
      }
      const withoutType = { credential: { project_id } }
      assert.equal((await holders.credentials(ann.token, 'POST', '', withoutType)).status, 400)
      assert.equal(await countRows(), rows)
    })
  })

  /** Everything an administrator of a key can do with it. */
  async function administer(token: string, owner: KeyHolder, fields: object): Promise<void> {
    const made = await holders.tryToMake(token, { project_id: owner.projectId, ...fields })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body.credential
    assert.equal(made.body.credential.user_id, owner.userId)
    const { secret: _secret, ...blob } = JSON.parse(made.body.credential.blob) as {
      secret: string
    }
    // Only this response contains the key and the secret in plain text.
    const { access_key: _accessKey, secret: _plain, ...rest } = made.body.credential
    const shown = { ...rest, blob: JSON.stringify({ secret: '', ...blob }) }

    assert.deepEqual((await show(token, id)).body, { credential: shown })
    const { body } = await holders.credentials(token, 'GET', `?user_id=${owner.userId}`)
    assert.deepEqual(
      body.credentials.find((item) => item.id === id),
      shown,
    )
    const steps: [string, Partial<CredentialDto>][] = [
      ['PUT', { name: 'renamed' }],
      ['PATCH', { name: 'renamed again' }],
      ['PUT', { enabled: false }],
      ['PATCH', { enabled: true, name: 'both at once' }],
    ]
    const expected: CredentialDto = { ...shown }
    for (const [method, changes] of steps) {
      Object.assign(expected, changes)
      const changed = await change(token, id, changes, method)
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(changed.body.credential, expected)
      assert.deepEqual((await show(token, id)).body.credential, expected)
    }
    assert.equal((await remove(token, id)).status, 204)
    assertError(await show(token, id), 'ResourceNotFoundError')
    assertError(await remove(token, id), 'ResourceNotFoundError')
    assert.ok(!(await listIds(token)).includes(id))
  }

  describe('SEC-36: can be created, read without secret, changed and deleted', () => {
    test('by their owner, in every role', async () => {
      await administer(ann.token, ann, {})
      const viewer = await holders.addHolder({ role: 'project_viewer' })
      await administer(viewer.token, viewer, { expires_at: later })
      await administer(viewer.token, viewer, { user_id: viewer.userId })
    })

    test("by an administrator of the owner's domain", async () => {
      const owner = await holders.addHolder()
      const inDomain = await holders.addHolder({
        userDomain: owner.userDomain,
        projectDomain: owner.userDomain,
      })
      const ruler = await holders.identities.addUser({ name: 'ruler' })
      const domainId = owner.userDomain
      await holders.identities.assign({ role: 'domain_admin', userId: ruler, domainId })
      const token = await holders.plant(ruler, undefined, domainId)
      await administer(token, inDomain, { user_id: inDomain.userId })

      // Not for users with more permissions than the domain administrator.
      const wishFor = ({ userId, projectId }: KeyHolder) => ({
        user_id: userId,
        project_id: projectId,
      })
      assertError(await holders.tryToMake(token, wishFor(owner)), 'ForbiddenError')
      await holders.identities.assign({ role: 'auditor', userId: inDomain.userId })
      assertError(await holders.tryToMake(token, wishFor(inDomain)), 'ForbiddenError')

      // Not for users of other domains, whose keys are 404.
      const { id } = await holders.makeOwnKey(ann)
      assertError(await holders.tryToMake(token, wishFor(ann)), 'InputParameterError')
      const refused = [
        await show(token, id),
        await change(token, id, { name: 'x' }),
        await remove(token, id),
      ]
      for (const answer of refused) assertError(answer, 'ResourceNotFoundError')
      assert.deepEqual(await listIds(token, `?user_id=${ann.userId}`), [])
      assert.equal((await show(ann.token, id)).body.credential.name, '')
    })

    test('by a system administrator', async () => {
      await administer(admin, ann, { user_id: ann.userId })
    })
  })

  describe('SEC-36: of other users', () => {
    test('are 404 for members and owners of the same project', async () => {
      const { identities } = holders
      const key = await holders.makeOwnKey(ann, { name: "ann's" })
      const owner = await holders.addHolder({ userDomain: ann.userDomain })
      const userId = owner.userId
      await identities.assign({ role: 'project_owner', userId, projectId: ann.projectId })
      const shared = await holders.plant(userId, ann.projectId)
      const own = await holders.makeOwnKey(owner)

      for (const query of ['', '?type=aksk', `?project_id=${ann.projectId}`, '?limit=2048']) {
        const seen = await listIds(shared, query)
        assert.deepEqual(seen, query.startsWith('?project_id') ? [] : [own.id], query)
      }
      assert.deepEqual(await listIds(shared, `?user_id=${ann.userId}`), [])
      const tries = [
        (id: string) => show(shared, id),
        (id: string) => change(shared, id, { name: 'mine' }),
        (id: string) => change(shared, id, { enabled: false }, 'PATCH'),
        (id: string) => remove(shared, id),
      ]
      for (const attempt of tries) {
        const answer = await attempt(key.id)
        assertError(answer, 'ResourceNotFoundError')
        const unknownKey = await attempt('f'.repeat(32))
        assert.deepEqual(comparableParts(answer), comparableParts(unknownKey))
      }
      const stolen = { user_id: ann.userId, project_id: ann.projectId }
      const refused = await holders.tryToMake(shared, stolen)
      assert.deepEqual(
        assertError(refused, 'InputParameterError').fields?.map(({ path }) => path),
        ['credential.user_id'],
      )
      const { name, enabled } = (await show(ann.token, key.id)).body.credential
      assert.deepEqual([name, enabled], ["ann's", true])
    })

    test('are readable but not changeable with read permission on all keys', async () => {
      const key = await holders.makeOwnKey(ann, { name: "ann's" })
      const viewers: string[] = []
      for (const options of [{ domainId: ann.userDomain }, {}]) {
        const role = 'domainId' in options ? 'domain_viewer' : 'auditor'
        const viewer = await holders.addHolder()
        await holders.identities.assign({ role, userId: viewer.userId, ...options })
        viewers.push(
          'domainId' in options
            ? await holders.plant(viewer.userId, undefined, ann.userDomain)
            : viewer.token,
        )
      }
      for (const token of viewers) {
        const { credential } = (await show(token, key.id)).body
        assert.equal(credential.id, key.id)
        assert.equal(secretIn(credential), '')
        assert.ok((await listIds(token)).includes(key.id))
        assertError(await change(token, key.id, { enabled: false }), 'ResourceNotFoundError')
        assertError(await remove(token, key.id), 'ResourceNotFoundError')
        const fields = { user_id: ann.userId, project_id: ann.projectId }
        assertError(await holders.tryToMake(token, fields), 'InputParameterError')
      }
      assert.equal((await show(ann.token, key.id)).body.credential.enabled, true)
    })
  })

  test('can be filtered by owner, project, name and state only', async () => {
    const owner = await holders.addHolder()
    const { userId, token } = owner
    const projectId = await holders.identities.addProject('second', owner.projectDomain)
    await holders.identities.assign({ role: 'project_viewer', userId, projectId })
    const first = await holders.makeOwnKey(owner, { name: 'first' })
    const second = await holders.makeKey(token, { project_id: projectId, name: 'second' })
    await change(token, second.id, { enabled: false })
    const expected: [string, string[]][] = [
      ['', [first.id, second.id].sort()],
      ['?name=first', [first.id]],
      ['?name=FIRST', [first.id]],
      ['?enabled=false', [second.id]],
      [`?project_id=${projectId}`, [second.id]],
      [`?user_id=${userId}&enabled=true`, [first.id]],
      ['?type=aksk&name=third', []],
      ['?type=ec2', []],
    ]
    for (const [query, ids] of expected) assert.deepEqual(await listIds(token, query), ids, query)
    for (const query of ['?secret=x', '?blob=%7B%7D', '?enabled=maybe']) {
      assert.equal((await holders.credentials(token, 'GET', query)).status, 400, query)
    }
  })

  test('are limited to 50 unexpired keys per user, also under concurrent creation', async () => {
    const { userId, projectId: project_id, token } = await holders.addHolder()
    const { db } = platform.database
    const make = (fields = {}) => holders.tryToMake(token, { project_id, ...fields })
    const kept = await make()
    const row = await db
      .selectFrom('access_keys')
      .where('id', '=', kept.body.credential.id)
      .selectAll()
      .executeTakeFirstOrThrow()
    const insert = (number: number, changes = {}) =>
      platform.database.commit([
        db
          .insertInto('access_keys')
          .values(Array.from({ length: number }, () => ({ ...row, id: newId(), ...changes })))
          .compile(),
      ])
    await insert(46)
    await insert(30, { expires_at: now })
    const answers = await Promise.all(Array.from({ length: 6 }, () => make()))
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [201, 201, 201, 409, 409, 409],
    )
    const byAdmin = await holders.tryToMake(admin, { project_id, user_id: userId })
    const { details } = assertError(byAdmin, 'ConflictError')
    assert.match(details, /50 access keys.*--access-keys-per-user/)
    assert.equal((await holders.credentials(token, 'DELETE', `/${row.id}`)).status, 204)
    assert.equal((await make()).status, 201)
    // Other users are not affected, and expired keys can be deleted too.
    const other = await holders.addHolder()
    const own = await holders.tryToMake(other.token, { project_id: other.projectId })
    assert.equal(own.status, 201)
    await insert(499, { user_id: other.userId, project_id: other.projectId, expires_at: now })
    const beyond = await holders.tryToMake(other.token, { project_id: other.projectId })
    assert.match(assertError(beyond, 'ConflictError').details, /500 access keys, expired/)
  })
})
