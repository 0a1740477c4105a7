import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { callOperation, type CallOptions } from '../../testing/call-operation.ts'
import { ask, loginAdmin, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane, sampleOperations } from '../../testing/lanes.ts'
import {
  createOperationFixtures,
  type OperationFixtures,
} from '../../testing/platform-world/operation-fixtures.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

/** Each kind of operation that requires a token, and HEAD for GET. */
const presentations = sampleOperations<Operation>(operations)
  .filter(({ access }) => access !== 'public')
  .flatMap((operation) => {
    const { method } = operation
    const methods = method === 'GET' ? [method, 'HEAD'] : [method]
    return methods.map((each) => ({ operation, method: each }))
  })

// Local callers need no token for some operations, so requests are forwarded.
const fromElsewhere = { 'x-forwarded-for': '192.0.2.1' }

onEngineOfLane('revocation', (engine) => {
  let platform: TestPlatform
  let url: string
  let root: string
  let fixtures: OperationFixtures
  let live: string
  let revoked: string
  let childOfRevoked: string
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    url = platform.url
    root = await loginAdmin(url)
    fixtures = await createOperationFixtures(platform, root)
    live = await makeChild(root)
    revoked = await makeChild(root)
    childOfRevoked = await makeChild(revoked)
    // Cached before they are revoked.
    for (const token of [live, revoked, childOfRevoked]) {
      assert.equal((await ask(url, '/v3/auth/projects', { token })).status, 200)
    }
    await revoke(revoked)
  })
  after(() => platform.close())

  const systemScope = { project: { name: 'system', domain: { id: 'default' } } }
  const makeChild = async (parent: string) =>
    secretOf(await requestToken(url, { identity: tokenIdentity(parent), scope: systemScope }))
  const revoke = async (subject: string) => {
    const { status } = await ask(url, '/v3/auth/tokens', {
      method: 'DELETE',
      token: root,
      headers: { 'x-subject-token': subject },
    })
    assert.equal(status, 204)
  }
  const present = async (
    token: string,
    { operation, method }: (typeof presentations)[number],
    prepared: CallOptions,
  ) => {
    const options = { ...prepared, method, token, headers: fromElsewhere }
    return (await callOperation(url, operation, options)).status
  }

  for (const presentation of presentations) {
    const { operation, method } = presentation
    test(`SEC-05: a revoked token is rejected by ${method} ${operation.path}`, async () => {
      const { token, ...prepared } = await fixtures.prepare(operation)
      // Subject tokens are prepared for operations that use them up.
      const status = await present(token === root ? live : token, presentation, prepared)
      assert.ok(status < 300, String(status))
      assert.equal(await present(revoked, presentation, prepared), 401)
      assert.equal(await present(childOfRevoked, presentation, prepared), 401)
    })
  }

  test('SEC-05: a revoked token cannot be exchanged, and inspecting it is 404', async () => {
    const revoked = await makeChild(root)
    await revoke(revoked)
    for (const scope of [undefined, systemScope]) {
      const auth = { identity: tokenIdentity(revoked), ...(scope && { scope }) }
      assert.equal((await requestToken(url, auth)).status, 401)
    }
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const headers = { 'x-subject-token': revoked }
      const answer = await ask(url, '/v3/auth/tokens', { method, token: root, headers })
      assert.equal(answer.status, 404, method)
    }
  })

  test('SEC-05: a token can revoke itself once', async () => {
    const token = await makeChild(root)
    const logOut = () =>
      ask(url, '/v3/auth/tokens', {
        method: 'DELETE',
        token,
        headers: { 'x-subject-token': token },
      })
    assert.equal((await logOut()).status, 204)
    assert.equal((await logOut()).status, 401)
  })

  test('SEC-05: revoking a parent revokes its whole tree, and no other token', async () => {
    const top = await makeChild(root)
    const parent = await makeChild(top)
    const beside = await makeChild(top)
    const tree = [parent]
    for (let depth = 0; depth < 6; depth += 1) {
      const trunk = tree.at(-1) ?? parent
      tree.push(await makeChild(trunk), await makeChild(trunk))
    }
    const statuses = (tokens: readonly string[]) =>
      Promise.all(
        tokens.map(async (token) => (await ask(url, '/v3/auth/projects', { token })).status),
      )
    assert.deepEqual(
      await statuses(tree),
      tree.map(() => 200),
    )
    await revoke(parent)
    assert.deepEqual(
      await statuses(tree),
      tree.map(() => 401),
    )
    assert.deepEqual(await statuses([root, top, beside]), [200, 200, 200])
  })
})
