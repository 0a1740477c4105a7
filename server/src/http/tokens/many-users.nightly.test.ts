import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import type { Token } from '@muster/contract'
import { mintToken, tokenId } from '../../domain/identity/token-secret.ts'
import type { Database } from '../../storage/database.ts'
import { newId } from '../../domain/new-id.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { openSocket } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const userCount = 200
const requestsEach = 50
const connections = 50

interface Caller {
  readonly userId: string
  readonly projectId: string
  readonly token: string
}

/** Users with a project and a token each, inserted in a few statements without password hashing. */
async function addCallers({ db, commitIdentity }: Database): Promise<Caller[]> {
  const callers = Array.from({ length: userCount }, () => ({
    userId: newId(),
    projectId: newId(),
    token: mintToken().secret,
  }))
  const { id: role_id } = await db
    .selectFrom('roles')
    .where('name', '=', 'project_viewer')
    .select('id')
    .executeTakeFirstOrThrow()
  const now = Date.now()
  const common = { domain_id: 'default', enabled: 1, created_at: now }
  const named = (id: string) => ({ id, name: id, name_key: id })
  await commitIdentity([
    db
      .insertInto('users')
      .values(
        callers.map(({ userId }) => ({
          ...named(userId),
          ...common,
          displayname: '',
          email: '',
          mobile: '',
        })),
      )
      .compile(),
    db
      .insertInto('projects')
      .values(callers.map(({ projectId }) => ({ ...named(projectId), ...common, description: '' })))
      .compile(),
    db
      .insertInto('assignments')
      .values(
        callers.map(({ userId, projectId }) => ({
          id: newId(),
          role_id,
          user_id: userId,
          project_id: projectId,
        })),
      )
      .compile(),
    db
      .insertInto('tokens')
      .values(
        callers.map(({ userId, projectId, token }) => ({
          id: tokenId(token) ?? '',
          user_id: userId,
          project_id: projectId,
          method: 'password',
          generation: 0,
          login_method: 'password',
          issued_at: now,
          expires_at: now + 3_600_000,
          ip: '',
          source: 'api',
        })),
      )
      .compile(),
  ])
  return callers
}

/** A seeded shuffle, so that a failure can be reproduced. */
function shuffle<Item>(items: readonly Item[], seed = 1): Item[] {
  let state = seed
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return items
    .map((item) => ({ item, order: next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item)
}

interface PlannedRequest {
  readonly caller: Caller
  readonly path: string
}

/** The same number of requests per user, to the two operations that return the caller. */
const planRequests = (callers: readonly Caller[]): PlannedRequest[] =>
  Array.from({ length: requestsEach }, (_, round) =>
    callers.map((caller) => ({
      caller,
      path: round % 3 === 0 ? '/v3/auth/tokens' : '/v3/auth/projects',
    })),
  ).flat()

const render = ({ caller, path }: PlannedRequest) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Auth-Token: ${caller.token}`,
    `X-Subject-Token: ${caller.token}`,
    '\r\n',
  ].join('\r\n')

/** Sends a request on a raw socket; a client library would cost more than the server. */
async function exchange(
  socket: Socket,
  request: PlannedRequest,
): Promise<{ status: string; body: string }> {
  socket.write(render(request))
  let text = ''
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
    if (end !== -1 && text.length >= end + 4 + length) {
      return { status: text.slice(9, 12), body: text.slice(end + 4) }
    }
  }
}

/** The user of a response. */
async function whoAmI(socket: Socket, request: PlannedRequest): Promise<string> {
  const { status, body } = await exchange(socket, request)
  const { token, projects } = JSON.parse(body) as { token?: Token; projects?: { id: string }[] }
  return request.path === '/v3/auth/tokens'
    ? `${status} ${token?.user.Id} ${token?.project.Id}`
    : `${status} ${request.caller.userId} ${projects?.map(({ id }) => id).join()}`
}

onPostgresFirst('many concurrent users', (engine) => {
  let platform: TestPlatform
  let callers: Caller[]
  before(async () => {
    platform = await startPlatform({ engine })
    callers = await addCallers(platform.database)
  })
  after(() => platform.close())

  test(`SEC-07: each of ${userCount * requestsEach} responses is for the user who sent the request`, async () => {
    const requests = shuffle(planRequests(callers))
    const mismatches: string[] = []
    let answers = 0

    async function askOn(socket: Socket): Promise<void> {
      for (let request = requests.pop(); request; request = requests.pop()) {
        const { userId, projectId } = request.caller
        const answer = await whoAmI(socket, request)
        answers += 1
        if (answer !== `200 ${userId} ${projectId}`) mismatches.push(answer)
        // A new identity version now and then clears all caches under load.
        if (answers % 2_500 === 0) await platform.database.commitIdentity([])
      }
      socket.destroy()
    }
    await Promise.all(Array.from({ length: connections }, () => askOn(openSocket(platform.url))))
    assert.deepEqual(mismatches.slice(0, 5), [])
    assert.equal(answers, userCount * requestsEach)
  })
})
