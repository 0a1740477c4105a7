import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startPlatform, type TestPlatform } from '../../server/src/testing/start-platform.ts'
import { createSessionStore } from '../../server/src/storage/sessions/session-store.ts'
import type { Exchange } from './exchange.ts'
import { createGateway } from './gateway.ts'
import { createHttpUpstream } from './http-upstream.ts'
import type { SessionStore, UpstreamRequest } from './ports.ts'
import { createPeople, password } from './testing/people.ts'

/** Which step does not succeed. */
interface Faults {
  upstream?: (request: UpstreamRequest) => boolean
  insert?: boolean
  replace?: boolean
}

const fault = () => new Error('it did not work')

describe('a step that fails after a token was issued', () => {
  let platform: TestPlatform
  let people: Awaited<ReturnType<typeof createPeople>>
  let faults: Faults = {}
  let gateway: ReturnType<typeof createGateway>
  before(async () => {
    platform = await startPlatform({ flags: ['--roles=identity,platform'] })
    people = await createPeople(platform)
    const { ask, close } = createHttpUpstream({ authUrl: platform.url, baseUrl: platform.url })
    after(close)
    const kept = createSessionStore(platform.database)
    const store: SessionStore = {
      ...kept,
      insert: async (session) => {
        if (faults.insert === true) throw fault()
        await kept.insert(session)
      },
      replace: async (id, session) => {
        if (faults.replace === true) throw fault()
        return await kept.replace(id, session)
      },
    }
    gateway = createGateway({
      store,
      upstream: async (request) => {
        if (faults.upstream?.(request) === true) throw fault()
        return await ask(request)
      },
      providerLogins: {
        list: async () => [],
        begin: async () => undefined,
        readAnswer: async () => undefined,
        providerOf: async () => undefined,
        logoutPage: async () => undefined,
        endLogins: async () => {},
      },
      requireCode: async () => {},
      createError: (errorClass) => new Error(errorClass),
      clock: Date.now,
      idle: 3_600_000,
      publicUrl: 'https://muster.example',
      platform: 'muster',
      version: '1',
      demo: undefined,
      consoleFolder: '/nowhere',
    })
  })
  after(() => platform.close())
  beforeEach(() => {
    faults = {}
  })

  function createExchange(method: string, headers = {}, signal = new AbortController().signal) {
    const added: [string, string][] = []
    const exchange: Exchange = {
      id: 'one',
      method,
      url: '/api/session',
      headers: { origin: 'https://muster.example', ...headers },
      ip: '127.0.0.1',
      protocol: 'https',
      host: 'muster.example',
      body: undefined,
      signal,
      addHeader: (name, value) => void added.push([name, value]),
    }
    return { exchange, added }
  }

  async function logIn(name: string, signal?: AbortSignal) {
    const { exchange, added } = createExchange('POST', {}, signal)
    const call = { exchange, parameters: {}, query: {}, body: { name, password } }
    const answer = gateway.handlers.createSession(call)
    const outcome = await answer.then(
      ({ body }) => ({ session: (body as { session: { csrf_token: string } }).session }),
      (error: Error) => ({ error }),
    )
    return { ...outcome, added }
  }

  const leftOf = async (userId: string) => {
    const tokens = await platform.database.db
      .selectFrom('tokens')
      .where('user_id', '=', userId)
      .select('id')
      .execute()
    const sessions = await platform.database.db
      .selectFrom('sessions')
      .where('user_id', '=', userId)
      .select('id')
      .execute()
    return { tokens: tokens.length, sessions: sessions.map(({ id }) => id) }
  }

  const isLogin = ({ method, path }: UpstreamRequest) =>
    method === 'POST' && path === '/v3/auth/tokens'
  const describes = ({ path }: UpstreamRequest) => path === '/v3/auth/permissions'
  /** The first login is good, the one for a project is not. */
  const second = () => {
    let logins = 0
    return (request: UpstreamRequest) => isLogin(request) && (logins += 1) === 2
  }

  const steps: Readonly<Record<string, () => Faults>> = {
    'choosing a project': () => ({ upstream: second() }),
    'describing the session': () => ({ upstream: describes }),
    'keeping the session': () => ({ insert: true }),
  }
  for (const [step, makeFaults] of Object.entries(steps)) {
    test(`${step}: the login leaves no token, no session and no cookie`, async () => {
      const { userId } = await people.addOwner(step, [step])
      faults = makeFaults()
      const { error, added } = (await logIn(step)) as { error?: Error; added: unknown }
      assert.ok(error)
      assert.deepEqual(added, [])
      assert.deepEqual(await leftOf(userId), { tokens: 0, sessions: [] })
      faults = {}
      assert.equal((await logIn(step)).added[0]?.[0], 'set-cookie')
      assert.equal((await leftOf(userId)).sessions.length, 1)
    })
  }

  test('a browser that disconnects during the login leaves nothing', async () => {
    const { userId } = await people.addOwner('hasty', ['hasty'])
    const gone = new AbortController()
    faults.upstream = (request) => {
      if (describes(request)) gone.abort()
      return false
    }
    const { added } = await logIn('hasty', gone.signal)
    assert.deepEqual(added, [])
    assert.deepEqual(await leftOf(userId), { tokens: 0, sessions: [] })
  })

  const switches: Readonly<Record<string, { faults: Faults; wrongId?: string; reason: RegExp }>> = {
    'describing the session': { faults: { upstream: describes }, reason: /BadGateway/ },
    'keeping the session': { faults: { replace: true }, reason: /it did not work/ },
    'a project without a role': { faults: {}, wrongId: 'none', reason: /ForbiddenError/ },
  }
  for (const [step, { faults: wrong, wrongId, reason }] of Object.entries(switches)) {
    test(`${step}: a failed switch does not change the session`, async () => {
      const name = `switching, ${step}`
      const { userId, projectIds } = await people.addOwner(name, [`${step} 1`, `${step} 2`])
      const { session, added } = (await logIn(name)) as Awaited<ReturnType<typeof logIn>> & {
        session: { csrf_token: string }
      }
      const before = await leftOf(userId)
      const cookie = added[0]?.[1].split(';')[0]
      const headers = { cookie, 'x-csrf-token': session.csrf_token }
      const change = async (project_id = projectIds[1] ?? '') => {
        const { exchange, added } = createExchange('PUT', headers)
        const body = { scope: { project_id } }
        const call = { exchange, parameters: {}, query: {}, body }
        return { answer: gateway.handlers.switchScope(call), added }
      }
      faults = wrong
      const failed = await change(wrongId)
      await assert.rejects(failed.answer, reason)
      assert.deepEqual(failed.added, [])
      assert.deepEqual(await leftOf(userId), before)
      faults = {}
      assert.equal((await (await change()).answer).status, 200)
    })
  }

  test('describing the session: a failed look at the session does not end it', async () => {
    const { userId } = await people.addOwner('looking', ['looking'])
    const { added } = await logIn('looking')
    const cookie = added[0]?.[1].split(';')[0]
    const look = () => {
      const { exchange, added } = createExchange('GET', { cookie })
      const call = { exchange, parameters: {}, query: {}, body: undefined }
      return { answer: gateway.handlers.getSession(call), added }
    }
    const before = await leftOf(userId)
    faults = { upstream: describes }
    const failed = look()
    await assert.rejects(failed.answer, /BadGateway/)
    assert.deepEqual(failed.added, [])
    assert.deepEqual(await leftOf(userId), before)
    faults = {}
    assert.equal((await look().answer).status, 200)
  })
})
