import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Token } from '@muster/contract'
import { ask, requestToken, secretOf } from '../../testing/client.ts'
import { plainHash, startMeasuredLogins } from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  createKeyHolders,
  forms,
  keyIdentity,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const second = 1_000
const start = Date.UTC(2027, 0, 31, 12)
const end = '2027-01-31T20:00:00Z'
const field = 'auth.identity.access_key_secret'

onEngineOfLane('a login with an access key', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let ann: KeyHolder
  let key: HeldKey
  let now = start
  const clock = () => now
  before(async () => {
    const flags = ['--login-failures-per-minute=0']
    platform = await startPlatform({ engine, clock, flags })
    holders = createKeyHolders(platform, clock)
    ann = await holders.addHolder({ role: 'project_editor' })
    key = await holders.makeOwnKey(ann, { expires_at: end })
  })
  after(() => platform.close())

  const describeToken = async (token: string) =>
    (
      await ask<{ token: Token }>(platform.url, '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': token },
      })
    ).body.token
  const show = async ({ token }: KeyHolder, { id }: HeldKey) =>
    (await holders.credentials(token, 'GET', `/${id}`)).body.credential

  for (const form of forms) {
    test(`returns a token for the project of the key, in the form "${form}"`, async () => {
      for (const method of ['aksk', 'access_key_secret']) {
        now += second
        const answer = await holders.login(holders.present(form, key), { method })
        const secret = secretOf(answer)
        const { token } = answer.body
        assert.deepEqual(token.access_key, {
          AccessKey: key.id,
          expire: Date.parse(end) / 1_000,
          secret: '',
        })
        assert.deepEqual(token.methods, ['aksk'])
        assert.deepEqual(token.project, {
          Domain: { id: ann.projectDomain, name: token.project.Domain.name },
          Id: ann.projectId,
          Name: ann.projectName,
        })
        assert.equal(token.user.Id, ann.userId)
        assert.deepEqual(
          token.roles.map(({ name }) => name),
          ['project_editor'],
        )
        assert.equal(token.is_domain, false)
        assert.equal(answer.headers.get('content-type'), 'application/json')
        assert.equal(answer.headers.get('cache-control'), 'no-store')
        assert.ok(!answer.text.includes(key.secret))
        // Inspecting the token later returns the same.
        assert.deepEqual(await describeToken(secret), token)
      }
    })
  }

  test('returns 0 as the expiry of a key that does not expire', async () => {
    const endless = await holders.makeOwnKey(ann)
    const { body } = await holders.login(holders.present('plain', endless))
    assert.deepEqual(body.token.access_key, { AccessKey: endless.id, expire: 0, secret: '' })
  })

  test('ignores the default project and the caller data in the body', async () => {
    const owner = await holders.addHolder()
    const { userId } = owner
    const elsewhere = await holders.identities.addProject('default of owner', owner.projectDomain)
    await holders.identities.assign({ role: 'project_owner', userId, projectId: elsewhere })
    await holders.identities.change(
      platform.database.db
        .updateTable('users')
        .set({ default_project_id: elsewhere })
        .where('id', '=', userId)
        .compile(),
    )
    const own = await holders.makeOwnKey(owner)
    const { body } = await requestToken(platform.url, {
      identity: keyIdentity(holders.present('own', own)),
      context: { source: 'cli', ip: '192.0.2.66' },
    })
    assert.equal(body.token.project.Id, owner.projectId)
    assert.deepEqual(body.token.context, { ip: '127.0.0.1', source: 'cli' })
  })

  test('records time and address of the last use', async () => {
    const owner = await holders.addHolder()
    const own = await holders.makeOwnKey(owner)
    const unused = await show(owner, own)
    assert.deepEqual([unused.last_used_at, unused.last_used_ip], [null, ''])
    now += 60 * second
    const used = { at: new Date(now).toISOString().replace('Z', '000Z'), ip: '127.0.0.1' }
    for (const form of forms) {
      secretOf(await holders.login(holders.present(form, own)))
      const { last_used_at, last_used_ip } = await show(owner, own)
      assert.deepEqual({ at: last_used_at, ip: last_used_ip }, used)
      now += 10 * second
      used.at = new Date(now).toISOString().replace('Z', '000Z')
    }
    // A failed login does not count as a use.
    const before = await show(owner, own)
    for (const scope of [undefined, { domain: { id: owner.projectDomain } }]) {
      const text = scope ? holders.present('plain', own) : `${own.id}:wrong`
      assert.equal((await holders.login(text, { ...(scope && { scope }) })).status, 401)
    }
    assert.deepEqual(await show(owner, own), before)
  })

  describe('SEC-20: failure', () => {
    test('SEC-20: returns byte-identical responses for every cause', async () => {
      now += 60 * second
      const owner = await holders.addHolder()
      const good = await holders.makeOwnKey(owner)
      const ended = await holders.makeOwnKey(owner, {
        expires_at: new Date(now + second).toISOString().replace('.000', ''),
      })
      const disabled = await holders.makeOwnKey(owner)
      await holders.credentials(owner.token, 'PUT', `/${disabled.id}`, {
        credential: { enabled: false },
      })
      const deleted = await holders.makeOwnKey(owner)
      await holders.credentials(owner.token, 'DELETE', `/${deleted.id}`)
      const gone = await holders.addHolder()
      const ofGone = await holders.makeOwnKey(gone)
      await holders.identities.change(
        platform.database.db
          .updateTable('users')
          .set({ enabled: 0 })
          .where('id', '=', gone.userId)
          .compile(),
      )
      const unknown = { id: 'f'.repeat(32), secret: key.secret }
      const wrong = { id: good.id, secret: key.secret }
      const replayed = holders.present('own', good)
      const stale = holders.present('cloudpods', good)
      const foreignScope = { project: { id: ann.projectId } }
      for (const text of [replayed, stale]) secretOf(await holders.login(text))
      now += 10 * second

      const causes: Record<string, Parameters<KeyHolders['login']>> = {
        replay: [replayed],
        "replay in Cloudpods' form": [stale],
        'signed for another host': [holders.present('own', good, { host: 'elsewhere' })],
        'signed too long ago': [holders.present('cloudpods', good, { now: now - 3_600_000 })],
        "another's project": [holders.present('own', good), { scope: foreignScope }],
        'no such project': [
          holders.present('own', good),
          { scope: { project: { id: 'nowhere' } } },
        ],
        'a domain': [holders.present('own', good), { scope: { domain: { id: 'default' } } }],
      }
      const faulty = { unknown, 'not its secret': wrong, ended, disabled, deleted }
      for (const [cause, one] of Object.entries({ ...faulty, "a disabled user's": ofGone })) {
        for (const form of forms) {
          causes[`${cause}, in the form "${form}"`] = [holders.present(form, one)]
        }
      }
      const reference = await requestToken(platform.url, {
        identity: { methods: ['token'], token: { id: 'none' } },
      })
      assertError(reference, 'UnauthorizedError', 'application/json')
      for (const [cause, [text, options]] of Object.entries(causes)) {
        const answer = await holders.login(text, options)
        assert.deepEqual(comparableParts(answer), comparableParts(reference), cause)
      }
      // The same key works with valid input.
      secretOf(await holders.login(holders.present('own', good)))
    })

    test('SEC-21: runs the same reads and writes whether the key exists or not', async (t) => {
      const logins = await startMeasuredLogins(platform, { clock })
      t.after(() => logins.close())
      const own = await holders.makeOwnKey(await holders.addHolder())
      const unknown = { id: 'e'.repeat(32), secret: own.secret }
      const wrong = { id: own.id, secret: `${own.secret}x` }
      // The key is already cached, as in normal use.
      secretOf(await holders.login(holders.present('own', own), { url: logins.url }))
      for (const form of forms) {
        const workOf = async (one: HeldKey) => {
          const text = holders.present(form, one)
          logins.takeStatements()
          assert.equal((await holders.login(text, { url: logins.url })).status, 401)
          return logins.takeStatements()
        }
        const known = await workOf(wrong)
        assert.ok(known.length > 0)
        assert.deepEqual(await workOf(unknown), known)
      }
    })

    test('counts as a failed login from the address', async (t) => {
      const limited = await startPlatform({ engine, flags: ['--login-failures-per-minute=2'] })
      t.after(() => limited.close())
      const statuses: number[] = []
      for (const text of ['none:x', holders.present('cloudpods', key), 'none:x', 'none:y']) {
        const { status } = await requestToken(limited.url, { identity: keyIdentity(text) })
        statuses.push(status)
      }
      assert.deepEqual(statuses, [401, 401, 429, 429])
    })
  })

  test('SEC-24: is not delayed by failed password logins of the user', async (t) => {
    const logins = await startMeasuredLogins(platform, { clock })
    t.after(() => logins.close())
    const owner = await holders.addHolder()
    await holders.identities.change(
      platform.database.db
        .updateTable('users')
        .set({ password_hash: plainHash('right') })
        .where('id', '=', owner.userId)
        .compile(),
    )
    const own = await holders.makeOwnKey(owner)
    const byPassword = async (password: string) => {
      const user = { id: owner.userId, password }
      const identity = { methods: ['password'], password: { user } }
      return (await requestToken(logins.url, { identity })).status
    }
    assert.equal(await byPassword('right'), 201)
    for (let time = 0; time < 10; time += 1) assert.equal(await byPassword('wrong'), 401)
    assert.equal(await byPassword('right'), 401)
    for (const form of forms) secretOf(await holders.login(holders.present(form, own)))
  })

  describe('malformed input', () => {
    test('returns 400, names the field and does not echo the value', async () => {
      const { id, secret } = key
      const signed = JSON.parse(holders.present('own', key)) as Record<string, unknown>
      const texts: unknown[] = [
        '',
        id,
        `${id}:`,
        `:${secret}`,
        `${id}:${secret}\n`,
        `${id} ${secret}\u{1F511}`,
        `{"access_key":"${id}","secret":"${secret}"}`,
        `{"access_key":"${id}"`,
        `[${JSON.stringify(signed)}]`,
        JSON.stringify({ ...signed, secret }),
        JSON.stringify({ ...signed, signature: undefined }),
        JSON.stringify({ ...signed, sign_date: 'today' }),
        JSON.stringify({ ...signed, request: 'GET /' }),
        JSON.stringify({ ...signed, headers: {} }),
        JSON.stringify({ ...signed, access_key: [id] }),
        JSON.stringify(signed).padEnd(4_097),
        null,
        1,
        true,
        [`${id}:${secret}`],
        { access_key: id, secret },
        signed,
      ]
      for (const method of ['aksk', 'access_key_secret']) {
        for (const text of texts) {
          const answer = await holders.login(text, { method })
          assert.equal(answer.status, 400, `${JSON.stringify(text)}: ${answer.text}`)
          assert.match(answer.body.fields?.[0]?.path ?? '', /^auth\.identity\.access_key_secret$/)
          assert.ok(!answer.text.includes(secret))
        }
      }
    })

    test('returns 400 if the key is missing or combined with another credential', async () => {
      for (const method of ['aksk', 'access_key_secret']) {
        const missing = await requestToken(platform.url, { identity: { methods: [method] } })
        const { fields } = assertError(missing, 'MissingParameterError', 'application/json')
        assert.deepEqual(
          fields?.map(({ path }) => path),
          [field],
        )
      }
      const beside = { ...keyIdentity(holders.present('plain', key)), token: { id: 'none' } }
      assert.equal((await requestToken(platform.url, { identity: beside })).status, 400)
      const other = { methods: ['token'], token: { id: 'none' } }
      const stray = { ...other, access_key_secret: holders.present('plain', key) }
      const answer = await requestToken(platform.url, { identity: stray })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.fields?.[0]?.path, field)
      const both = {
        ...keyIdentity(holders.present('plain', key)),
        methods: ['aksk', 'access_key_secret'],
      }
      assert.equal((await requestToken(platform.url, { identity: both })).status, 400)
    })
  })
})
