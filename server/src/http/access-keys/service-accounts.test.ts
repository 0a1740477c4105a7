import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { CredentialDto, ErrorBody, Impact, UserDto } from '@muster/contract'
import { ask, requestToken, secretOf } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  createKeyHolders,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const day = 86_400_000
const start = Date.parse('2026-03-01T08:00:00Z')
const password = 'tussocky moorland'

type Body = {
  user: UserDto
  users: UserDto[]
  credential: CredentialDto
  impact: Impact
} & ErrorBody

onBothEngines('a service account', (engine) => {
  let platform: TestPlatform
  let nodes: TestPlatform[]
  let holders: KeyHolders
  let admin: string
  let now = start
  before(async () => {
    const clock = () => now
    const flags = ['--login-failures-per-minute=0', '--public-url=http://muster.test']
    platform = await startPlatform({ engine, clock, flags })
    nodes = [platform]
    if (engine === 'postgres') {
      nodes.push(await startPlatform({ engine, clock, flags, beside: platform }))
    }
    holders = createKeyHolders(platform, clock)
  })
  beforeEach(async () => {
    // Some tests let more time pass than a token lives.
    admin = await holders.plantAdmin()
  })
  after(async () => {
    for (const node of nodes.toReversed()) await node.close()
  })

  const send = (token: string, method: string, path: string, body?: object, node = platform) =>
    ask<Body>(node.url, `/v3${path}`, { method, token, ...(body && { body }) })
  const timestamp = (ms: number) => new Date(ms).toISOString().replace('.000', '')
  let serial = 0
  const newName = () => `program ${(serial += 1)}`

  /** An account in the project of its owner, whom nobody shares. */
  async function addAccount(fields: object = {}, role = 'project_viewer') {
    const owner = await holders.addHolder()
    const user = {
      name: newName(),
      domain_id: owner.userDomain,
      service_account: true,
      owner_id: owner.userId,
      purpose: 'Nightly backup',
      ...fields,
    }
    const made = await send(admin, 'POST', '/users', { user })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body.user
    await holders.identities.assign({ role, userId: id, projectId: owner.projectId })
    return { owner, id, account: made.body.user }
  }
  type Account = Awaited<ReturnType<typeof addAccount>>

  const makeKey = (token: string, { owner, id }: Account) =>
    holders.tryToMake(token, { project_id: owner.projectId, user_id: id })
  async function logIn(account: Account) {
    const made = await makeKey(account.owner.token, account)
    assert.equal(made.status, 201, made.text)
    const { access_key, secret } = made.body.credential
    return secretOf(await holders.login(`${access_key}:${secret}`))
  }
  const get = async (id: string, token = admin, node = platform) =>
    (await send(token, 'GET', `/users/${id}`, undefined, node)).body.user
  const attentionOf = async (id: string) => (await get(id, await holders.plantAdmin())).attention

  test('has an owner and a purpose, and keys with which it logs in', async () => {
    const account = await addAccount()
    const { service_account, owner_id, purpose, attention } = account.account
    assert.deepEqual(
      { service_account, owner_id, purpose, attention },
      {
        service_account: true,
        owner_id: account.owner.userId,
        purpose: 'Nightly backup',
        attention: '',
      },
    )
    const token = await logIn(account)
    assert.equal((await ask(platform.url, '/servers', { token })).status, 200)
    for (const node of nodes) {
      assert.equal(Date.parse((await get(account.id, admin, node)).last_login_at ?? ''), now)
    }
  })

  const wrong: Readonly<Record<string, readonly [object, string]>> = {
    'no owner': [{ owner_id: undefined }, 'owner_id'],
    'no purpose': [{ purpose: undefined }, 'purpose'],
    'an empty purpose': [{ purpose: '' }, 'purpose'],
    'an owner who does not exist': [{ owner_id: 'nobody' }, 'owner_id'],
    'a password': [{ password }, 'password'],
    'a break-glass mark': [{ break_glass: true }, 'break_glass'],
  }
  for (const [what, [fields, field]] of Object.entries(wrong)) {
    test(`is not created with ${what}: the error names the field`, async () => {
      const owner = await holders.addHolder()
      const answer = await send(admin, 'POST', '/users', {
        user: {
          name: newName(),
          domain_id: owner.userDomain,
          service_account: true,
          owner_id: owner.userId,
          purpose: 'Backups',
          ...fields,
        },
      })
      assert.equal(answer.status, 400, answer.text)
      assert.ok(
        answer.body.fields?.some(({ path }) => path === `user.${field}`),
        answer.text,
      )
    })
  }

  test('a person has neither an owner nor a purpose', async () => {
    const owner = await holders.addHolder()
    for (const fields of [{ owner_id: owner.userId }, { purpose: 'x' }]) {
      const user = { name: newName(), domain_id: owner.userDomain, ...fields }
      assert.equal((await send(admin, 'POST', '/users', { user })).status, 400)
      const change = await send(admin, 'PUT', `/users/${owner.userId}`, { user: fields })
      assert.equal(change.status, 400, change.text)
    }
  })

  test('is not owned by a service account, or by who cannot log in', async () => {
    const { id, owner } = await addAccount()
    const other = await holders.addHolder()
    const gone = await holders.addHolder()
    await send(admin, 'PUT', `/users/${gone.userId}`, { user: { enabled: false } })
    for (const owner_id of [id, gone.userId]) {
      const answer = await send(admin, 'PUT', `/users/${id}`, { user: { owner_id } })
      assert.equal(answer.status, 400, answer.text)
    }
    const user = { owner_id: other.userId }
    assert.equal((await send(admin, 'PUT', `/users/${id}`, { user })).status, 200)
    assert.equal((await makeKey(owner.token, { owner, id, account: await get(id) })).status, 400)
  })

  describe('has access keys only', () => {
    const attempts: Readonly<Record<string, (id: string) => readonly [string, string, object?]>> = {
      'a password': (id) => ['PUT', `/users/${id}`, { user: { password } }],
      'a link to set one': (id) => ['POST', `/users/${id}/password-link`],
      'a break-glass mark': (id) => ['PUT', `/users/${id}`, { user: { break_glass: true } }],
    }
    for (const [what, attempt] of Object.entries(attempts)) {
      test(`and gets no ${what}`, async () => {
        const { id } = await addAccount()
        const answer = await send(admin, ...attempt(id))
        assert.ok(answer.status === 400 || answer.status === 409, answer.text)
        assert.match(answer.text, /service account/)
      })
    }

    test('and no login at a provider', async () => {
      const { id, owner } = await addAccount()
      const provider = await send(admin, 'POST', '/identity_providers', {
        identity_provider: {
          name: newName(),
          driver: 'cas',
          domain_id: owner.userDomain,
          url: 'https://cas.invalid/cas',
          service_url: 'https://muster.test/api/session/cas',
          mapping: [],
        },
      })
      const { id: provider_id } = (
        provider.body as unknown as { identity_provider: { id: string } }
      ).identity_provider
      const linked_logins = [{ user_id: id, provider_id, subject: 'program' }]
      const answer = await send(admin, 'POST', '/linked_logins', { linked_logins })
      assert.equal(answer.status, 409, answer.text)
      assert.match(answer.text, /service account/)
    })

    test('and no login with a password, whatever is in the database', async () => {
      const { id } = await addAccount()
      const user = { id, password }
      const identity = { methods: ['password'], password: { user } }
      assert.equal((await requestToken(platform.url, { identity })).status, 401)
    })
  })

  describe('is administered by its owner', () => {
    test('who sees it and its last use, and makes, disables, enables and deletes its keys', async () => {
      const account = await addAccount()
      const { owner, id } = account
      await logIn(account)
      const seen = await get(id, owner.token)
      assert.equal(Date.parse(seen.last_login_at ?? ''), now)
      const { body } = await send(owner.token, 'GET', '/users?service_account=true')
      assert.deepEqual(
        body.users.map((user) => user.id),
        [id],
      )
      const made = await makeKey(owner.token, account)
      const path = `/credentials/${made.body.credential.id}`
      for (const enabled of [false, true]) {
        const change = await send(owner.token, 'PUT', path, { credential: { enabled } })
        assert.equal(change.status, 200, change.text)
      }
      assert.equal((await send(owner.token, 'GET', path)).status, 200)
      assert.equal((await send(owner.token, 'DELETE', path)).status, 204)
    })

    test('but not changed, and by no other member of the project', async () => {
      const account = await addAccount()
      const { owner, id } = account
      const change = await send(owner.token, 'PUT', `/users/${id}`, { user: { purpose: 'x' } })
      assert.equal(change.status, 403)
      const name = newName()
      const userId = await holders.identities.addUser({ name, domainId: owner.userDomain })
      const { projectId } = owner
      await holders.identities.assign({ role: 'project_owner', userId, projectId })
      const stranger = await holders.plant(userId, projectId)
      assert.equal((await makeKey(stranger, account)).status, 400)
      const key = await makeKey(owner.token, account)
      const path = `/credentials/${key.body.credential.id}`
      assert.equal((await send(stranger, 'DELETE', path)).status, 404)
    })

    test('not with an access key, which would outlive itself', async () => {
      const account = await addAccount()
      const key = await holders.makeOwnKey(account.owner)
      const token = secretOf(await holders.login(holders.present('plain', key)))
      assert.equal((await makeKey(token, account)).status, 403)
    })
  })

  test('SEC-08: an administrator with less than its rights neither makes its keys nor chooses its owner', async () => {
    const account = await addAccount({}, 'project_owner')
    const { owner, id } = account
    const name = newName()
    const head = await holders.identities.addUser({ name, domainId: owner.userDomain })
    const domainId = owner.userDomain
    await holders.identities.assign({ role: 'domain_admin', userId: head, domainId })
    const token = await holders.plant(head, undefined, domainId)
    // The project is of another domain.
    assert.equal((await makeKey(token, account)).status, 403)
    const user = { owner_id: head }
    const change = await send(token, 'PUT', `/users/${id}`, { user })
    assert.equal(change.status, 403, change.text)
    assert.equal((await send(admin, 'PUT', `/users/${id}`, { user })).status, 200)
    assert.equal((await makeKey(token, account)).status, 201)
  })

  test('SEC-33: expires with its keys and tokens, on each node', async () => {
    const account = await addAccount({ expires_at: timestamp(now + day) })
    const token = await logIn(account)
    const key = await makeKey(account.owner.token, account)
    const { access_key, secret } = key.body.credential
    for (const node of nodes) {
      assert.equal((await ask(node.url, '/servers', { token })).status, 200)
    }
    now += day
    for (const node of nodes) {
      assert.equal((await ask(node.url, '/servers', { token })).status, 401)
    }
    assert.equal((await holders.login(`${access_key}:${secret}`)).status, 401)
  })

  describe('is told', () => {
    const ends: Readonly<Record<string, (userId: string) => Promise<unknown>>> = {
      disabled: (id) => send(admin, 'PUT', `/users/${id}`, { user: { enabled: false } }),
      expired: (id) =>
        send(admin, 'PUT', `/users/${id}`, { user: { expires_at: timestamp(now - day) } }),
      deleted: (id) => send(admin, 'DELETE', `/users/${id}`),
      'of a disabled domain': async (id) => {
        const { domain_id } = await get(id)
        const domain = await holders.identities.addDomain(newName())
        await holders.identities.change(
          platform.database.db
            .updateTable('users')
            .set({ domain_id: domain })
            .where('id', '=', id)
            .compile(),
        )
        assert.notEqual(domain, domain_id)
        await send(admin, 'PUT', `/domains/${domain}`, { domain: { enabled: false } })
      },
    }
    for (const [what, end] of Object.entries(ends)) {
      test(`when its owner is ${what}, and works on`, async () => {
        const account = await addAccount()
        const { owner, id } = account
        const token = await logIn(account)
        const { body } = await send(admin, 'GET', `/users/${owner.userId}/impact`)
        assert.equal(body.impact.service_accounts, 1)
        assert.equal(await attentionOf(id), '')
        await end(owner.userId)
        assert.equal(await attentionOf(id), 'ownerless')
        for (const node of nodes) {
          await eventually('it works on', async () => {
            const { status } = await ask(node.url, '/servers', { token })
            return status === 200
          })
        }
        const listed = await send(admin, 'GET', '/users?attention=ownerless')
        assert.ok(listed.body.users.some((user) => user.id === id))
        const heir = await holders.addHolder()
        const given = await send(admin, 'PUT', `/users/${id}`, { user: { owner_id: heir.userId } })
        assert.equal(given.body.user.attention, '', given.text)
      })
    }

    test('when nobody has used it for 90 days', async () => {
      const account = await addAccount()
      const { id } = account
      now += 90 * day - 1
      assert.equal(await attentionOf(id), '')
      now += 1
      assert.equal(await attentionOf(id), 'unused')
      const { body } = await send(
        await holders.plantAdmin(),
        'GET',
        `/users?filter=${encodeURIComponent("attention.in('ownerless','unused')")}`,
      )
      assert.ok(body.users.some((user) => user.id === id))
      admin = await holders.plantAdmin()
      const metrics = await ask(platform.url, '/metrics')
      assert.match(metrics.text, /muster_service_accounts\{attention="unused"\} [1-9]/)
      const owner = {
        ...account.owner,
        token: await holders.plant(account.owner.userId, account.owner.projectId),
      }
      await logIn({ ...account, owner })
      assert.equal(await attentionOf(id), '')
    })

    test('not when it is disabled, nor a person', async () => {
      const { id, owner } = await addAccount()
      await send(admin, 'PUT', `/users/${owner.userId}`, { user: { enabled: false } })
      await send(admin, 'PUT', `/users/${id}`, { user: { enabled: false } })
      now += 100 * day
      admin = await holders.plantAdmin()
      assert.deepEqual([await attentionOf(id), await attentionOf(owner.userId)], ['', ''])
    })

    test('to those who see its last login, and to nobody else', async () => {
      const { owner, id } = await addAccount()
      await send(admin, 'PUT', `/users/${owner.userId}`, {
        user: { expires_at: timestamp(now - 1) },
      })
      const name = newName()
      const userId = await holders.identities.addUser({ name, domainId: owner.userDomain })
      const { projectId } = owner
      await holders.identities.assign({ role: 'project_owner', userId, projectId })
      const member = await holders.plant(userId, projectId)
      assert.equal((await get(id, member)).attention, '')
      const { body } = await send(member, 'GET', '/users?attention=ownerless')
      assert.deepEqual(body.users, [])
      assert.equal(await attentionOf(id), 'ownerless')
    })
  })
})
