import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ask, loginAdmin, requestToken, secretOf } from '../../testing/client.ts'
import { createTestDatabase, onBothEngines } from '../../testing/engines.ts'
import {
  createKeyHolders,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const start = Date.parse('2026-03-01T08:00:00Z')
const hour = 3_600_000
const networks = ['127.0.0.0/8']

onBothEngines('lasting credentials from a restricted access key', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let admin: string
  let system: string
  let now = start
  before(async () => {
    platform = await startPlatform({
      engine,
      clock: () => now,
      flags: ['--login-failures-per-minute=0', '--public-url=http://muster.test'],
    })
    holders = createKeyHolders(platform, () => now)
    admin = await loginAdmin(platform.url)
    const { id } = await platform.database.db
      .selectFrom('projects')
      .select('id')
      .where('name', '=', 'system')
      .executeTakeFirstOrThrow()
    system = id
  })
  after(() => platform.close())

  const timestamp = (ms: number) => new Date(ms).toISOString().replace('.000', '')
  const makeKey = (fields: object) => holders.makeKey(admin, { project_id: system, ...fields })
  const logIn = async (fields: object) =>
    secretOf(await holders.login(holders.present('plain', await makeKey(fields))))
  const send = <Body>(token: string, method: string, path: string, body?: object) =>
    ask<Body>(platform.url, `/v3${path}`, { method, token, ...(body && { body }) })
  const addPerson = () => holders.identities.addUser({ name: `person ${Math.random()}` })

  const password = 'tussocky moorland'
  const attempts: Readonly<Record<string, (userId: string) => readonly [string, string, object?]>> =
    {
      'an access key': () => [
        'POST',
        '/credentials',
        { credential: { type: 'aksk', project_id: system } },
      ],
      'a link to set a password': (id) => ['POST', `/users/${id}/password-link`],
      'the password of a user': (id) => ['PUT', `/users/${id}`, { user: { password } }],
      'a user with a password': () => [
        'POST',
        '/users',
        { user: { name: `new ${Math.random()}`, domain_id: 'default', password } },
      ],
      'a linked login': (id) => [
        'POST',
        '/linked_logins',
        { linked_logins: [{ user_id: id, provider_id: 'none', subject: 'x' }] },
      ],
      'an identity provider': () => [
        'POST',
        '/identity_providers',
        {
          identity_provider: {
            name: 'company',
            driver: 'cas',
            domain_id: 'default',
            options: { url: 'https://cas.invalid' },
          },
        },
      ],
      'a break-glass mark': (id) => ['PUT', `/users/${id}`, { user: { break_glass: true } }],
    }
  for (const [what, attempt] of Object.entries(attempts)) {
    test(`SEC-08: it cannot make ${what}, which would have no restriction`, async () => {
      const token = await logIn({ restriction: { networks } })
      // The key may change users otherwise.
      const id = await addPerson()
      const renamed = await send(token, 'PUT', `/users/${id}`, { user: { displayname: 'Ada' } })
      assert.equal(renamed.status, 200, renamed.text)
      const refused = await send(token, ...attempt(id))
      assert.equal(refused.status, 403, refused.text)
      assert.match(refused.text, /access key/)
    })
  }

  describe('a link to set a password', () => {
    interface Link {
      readonly password_link: { readonly secret: string; readonly expires_at: string }
    }
    async function createLink(fields: object) {
      const key = await makeKey(fields)
      const token = secretOf(await holders.login(holders.present('plain', key)))
      const id = await addPerson()
      const { body, status, text } = await send<Link>(token, 'POST', `/users/${id}/password-link`)
      assert.equal(status, 201, text)
      return { key, id, ...body.password_link }
    }
    const use = (secret: string) =>
      ask(platform.url, '/v3/auth/password', { method: 'POST', body: { secret, password } })

    test('ends with the expiry of the key', async () => {
      const { expires_at, secret } = await createLink({ expires_at: timestamp(now + hour) })
      assert.equal(Date.parse(expires_at), now + hour)
      now += hour
      assert.equal((await use(secret)).status, 401)
    })

    test('ends with the key', async () => {
      const endings = {
        enabled: { method: 'PUT', body: { credential: { enabled: false } } },
        deleted: { method: 'DELETE', body: undefined },
      }
      for (const { method, body } of Object.values(endings)) {
        const { key, secret } = await createLink({})
        const ended = await send(
          await loginAdmin(platform.url),
          method,
          `/credentials/${key.id}`,
          body,
        )
        assert.ok(ended.status < 300, ended.text)
        assert.equal((await use(secret)).status, 401)
      }
    })

    test('works while the key does', async () => {
      const { secret } = await createLink({})
      assert.equal((await use(secret)).status, 200)
    })
  })
})

onBothEngines('the restriction of an access key', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-restriction-'))
  after(() => rmSync(folder, { recursive: true }))

  test('SEC-34: is fixed, shown, recorded in the audit log, and there after a restart', async () => {
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const beside = { folder, databaseUrl }
    let platform = await startPlatform({ engine, beside })
    const holders = createKeyHolders(platform)
    const owner = await holders.addHolder()
    const restriction = { read_only: true, networks: ['127.0.0.1', '::1'] }
    const key = await holders.makeOwnKey(owner, { restriction })
    const shown = {
      read_only: true,
      actions: null,
      projects: null,
      networks: ['127.0.0.1/32', '::1/128'],
    }
    const token = secretOf(await holders.login(holders.present('plain', key)))
    for (const change of [{ restriction: null }, { restriction: { networks: ['0.0.0.0/0'] } }]) {
      const answer = await holders.credentials(owner.token, 'PUT', `/${key.id}`, {
        credential: change,
      })
      assert.equal(answer.status, 400, answer.text)
    }
    const event = await platform.database.db
      .selectFrom('events')
      .select('changes')
      .where('target_id', '=', key.id)
      .executeTakeFirstOrThrow()
    assert.match(event.changes, /"restriction":\[null,\{"read_only":true/)

    await platform.close()
    platform = await startPlatform({ engine, beside })
    try {
      const again = createKeyHolders(platform)
      const { body } = await again.credentials(owner.token, 'GET', `/${key.id}`)
      assert.deepEqual(body.credential.restriction, shown)
      const access_key_secret = `${key.id}:${key.secret}`
      const identity = { methods: ['aksk'], access_key_secret }
      const fresh = secretOf(await requestToken(platform.url, { identity }))
      for (const secret of [token, fresh]) {
        const view = { view: { name: 'mine', q: 'web' } }
        const refused = await ask(platform.url, '/views', {
          method: 'POST',
          token: secret,
          body: view,
        })
        assert.equal(refused.status, 403)
        assert.equal((await ask(platform.url, '/servers', { token: secret })).status, 200)
      }
    } finally {
      await platform.close()
    }
  })

  test('is checked, and an error names the field', async () => {
    const platform = await startPlatform({ engine })
    try {
      const holders = createKeyHolders(platform)
      const owner = await holders.addHolder()
      const foreign = await holders.addHolder()
      const wrong: readonly (readonly [object, string])[] = [
        [{ read_only: 1 }, 'read_only'],
        [{ actions: [] }, 'actions'],
        [{ actions: ['explode'] }, 'actions.0'],
        [{ actions: ['start'], read_only: true }, 'actions'],
        [{ projects: [] }, 'projects'],
        [{ projects: [foreign.projectId] }, 'projects'],
        [{ projects: [owner.projectId, foreign.projectId] }, 'projects.1'],
        [{ networks: [] }, 'networks'],
        [{ networks: ['127.0.0.1', '10.0.0.1/8'] }, 'networks.1'],
        [{ networks: 'all' }, 'networks'],
        [{ readonly: true }, 'readonly'],
      ]
      for (const [restriction, field] of wrong) {
        const answer = await holders.tryToMake(owner.token, {
          project_id: owner.projectId,
          restriction,
        })
        assert.equal(answer.status, 400, JSON.stringify(restriction))
        const paths = answer.body.fields?.map(({ path }) => path) ?? []
        assert.ok(paths.includes(`credential.restriction.${field}`), paths.join())
      }
    } finally {
      await platform.close()
    }
  })
})
