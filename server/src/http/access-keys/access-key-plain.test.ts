import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { text } from 'node:stream/consumers'
import type { CredentialDto } from '@muster/contract'
import { assertError } from '../../testing/assert-error.ts'
import {
  createKeyHolders,
  keyIdentity,
  secretIn,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

type Headers = Record<string, string>

const client = '198.51.100.7'
const forwarded: Headers = { 'x-forwarded-for': client }
const secure: Headers = { 'x-forwarded-proto': 'https' }
const fixture = (name: string) => join(import.meta.dirname, '../../testing/fixtures', name)

describe('login with a plain secret', () => {
  /** A platform with a key, and a login with its plain secret. */
  async function startWithKey(flags: readonly string[] = []) {
    const platform = await startPlatform({ flags: ['--login-failures-per-minute=0', ...flags] })
    const holders = createKeyHolders(platform)
    const key = await holders.makeOwnKey(await holders.addHolder())
    return { platform, holders, key }
  }
  type Started = Awaited<ReturnType<typeof startWithKey>>

  const shown = ({ holders, key }: Started, headers: Headers) =>
    holders.login(holders.present('plain', key), { headers })

  /** Asserts a 400 that names the alternative and does not reveal whether the secret is correct. */
  async function isRefused(started: Started, headers: Headers): Promise<void> {
    const answer = await shown(started, headers)
    const { fields } = assertError(answer, 'InputParameterError', 'application/json')
    assert.deepEqual(
      fields?.map(({ path }) => path),
      ['auth.identity.access_key_secret'],
    )
    assert.match(fields?.[0]?.problem ?? '', /TLS.*sign/)
    assert.ok(!answer.text.includes(started.key.secret))
    for (const other of [`${started.key.id}:wrong`, `${'f'.repeat(32)}:wrong`]) {
      const wrong = await started.holders.login(other, { headers })
      assert.deepEqual(comparableParts(wrong), comparableParts(answer))
    }
  }

  describe('without a trusted proxy', () => {
    let started: Started
    before(async () => {
      started = await startWithKey()
    })
    after(() => started.platform.close())

    test('is accepted from the local machine', async () => {
      assert.equal((await shown(started, {})).status, 201)
    })

    test('is rejected from other addresses, whatever the headers claim', async () => {
      for (const headers of [
        forwarded,
        { ...forwarded, ...secure },
        { 'x-forwarded-for': '127.0.0.1', ...secure },
        { 'x-forwarded-for': '', ...secure },
        { forwarded: `for=${client};proto=https` },
        { forwarded: 'for=127.0.0.1;proto=https', ...secure },
        { ...forwarded, ...secure, 'x-forwarded-ssl': 'on', 'front-end-https': 'on' },
      ]) {
        await isRefused(started, headers)
      }
    })

    test('a signature is accepted from any address', async () => {
      const { holders, key } = started
      for (const form of ['cloudpods', 'own'] as const) {
        const answer = await holders.login(holders.present(form, key), { headers: forwarded })
        assert.equal(answer.status, 201, form)
      }
    })

    test('a rejected login records no use and no failed login', async () => {
      const { platform, holders } = started
      const owner = await holders.addHolder()
      const unused = await holders.makeOwnKey(owner)
      const countEvents = async () =>
        (await platform.database.db.selectFrom('events').select('id').execute()).length
      const events = await countEvents()
      await isRefused({ ...started, key: unused }, forwarded)
      assert.equal(await countEvents(), events)
      const { body } = await holders.credentials(owner.token, 'GET', `/${unused.id}`)
      assert.equal(body.credential.last_used_at, null)
    })
  })

  describe('behind a trusted proxy', () => {
    let started: Started
    before(async () => {
      started = await startWithKey(['--trusted-proxies=127.0.0.1,203.0.113.0/24'])
    })
    after(() => started.platform.close())

    test('is accepted if the proxy reports TLS', async () => {
      for (const headers of [
        { ...forwarded, ...secure },
        { 'x-forwarded-for': `${client}, 203.0.113.9`, ...secure },
        secure,
      ]) {
        const answer = await shown(started, headers)
        assert.equal(answer.status, 201, `${JSON.stringify(headers)}: ${answer.text}`)
      }
    })

    test('is rejected if the proxy reports no TLS, or nothing', async () => {
      for (const headers of [
        forwarded,
        { ...forwarded, 'x-forwarded-proto': 'http' },
        { ...forwarded, 'x-forwarded-proto': '' },
        { ...forwarded, 'x-forwarded-proto': 'ftp' },
        // The client's own value comes first, the proxy appends its value.
        { ...forwarded, 'x-forwarded-proto': 'https, http' },
        { 'x-forwarded-for': '127.0.0.1' },
        { ...forwarded, forwarded: 'proto=https' },
        { ...forwarded, 'x-forwarded-ssl': 'on' },
      ]) {
        await isRefused(started, headers)
      }
    })
  })

  test('is rejected if the header comes from an untrusted peer', async (t) => {
    const started = await startWithKey(['--trusted-proxies=203.0.113.9'])
    t.after(() => started.platform.close())
    await isRefused(started, { ...forwarded, ...secure })
    await isRefused(started, { 'x-forwarded-for': '203.0.113.9', ...secure })
    assert.equal((await shown(started, {})).status, 201)
  })

  describe('over TLS', () => {
    let platform: TestPlatform
    let holders: KeyHolders
    let owner: KeyHolder
    before(async () => {
      platform = await startPlatform({
        flags: [
          `--tls-cert=${fixture('test-only.cert.pem')}`,
          `--tls-key=${fixture('test-only.key.pem')}`,
        ],
      })
      holders = createKeyHolders(platform)
      owner = await holders.addHolder()
    })
    after(() => platform.close())

    /** A client that trusts the CA of the test. */
    async function askSecurely(path: string, headers: Headers, body: unknown) {
      const outgoing = request(platform.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ca: readFileSync(fixture('test-only.cert.pem')),
        agent: false,
      }).end(JSON.stringify(body))
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, body: JSON.parse(await text(answer)) as object }
    }

    test('is accepted from any address', async () => {
      const credential = { type: 'aksk', project_id: owner.projectId }
      const made = await askSecurely(
        '/v3/credentials',
        { 'x-auth-token': owner.token },
        { credential },
      )
      const view = (made.body as { credential: CredentialDto }).credential
      const key: HeldKey = { id: view.id, secret: secretIn(view) }
      const auth = { identity: keyIdentity(holders.present('plain', key)) }
      // Forwarded, so that TLS decides and not the loopback address.
      for (const headers of [{}, forwarded, { ...forwarded, 'x-forwarded-proto': 'http' }]) {
        const { status } = await askSecurely('/v3/auth/tokens', headers, { auth })
        assert.equal(status, 201, JSON.stringify(headers))
      }
    })
  })
})
