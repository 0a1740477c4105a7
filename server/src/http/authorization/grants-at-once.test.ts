import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  pollForValue,
  grantPath,
  openIdentityApi,
  type IdentityApi,
  type Person,
} from '../../testing/identity-world/open-identity-api.ts'
import { parseRule } from '../../testing/identity-world/parse-rule.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const crowd = 20

/** On PostgreSQL every other request goes to a second process. */
onEngineOfLane('concurrent changes', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform
  let identityApi: IdentityApi
  before(async () => {
    platform = await startPlatform({ engine })
    beside = engine === 'postgres' ? await startPlatform({ engine, beside: platform }) : platform
    identityApi = await openIdentityApi(platform)
  })
  after(async () => {
    if (beside !== platform) await beside.close()
    await platform.close()
  })

  const nodeOf = (index: number) => (index % 2 === 0 ? platform : beside)
  const callAt = (node: TestPlatform, token: string, method: string, path: string, body?: object) =>
    ask(node.url, path, { method, token, ...(body && { body }) })
  const together = (method: string, path: string, body?: object) =>
    Promise.all(
      Array.from({ length: crowd }, (_, index) =>
        callAt(nodeOf(index), identityApi.admin, method, path, body),
      ),
    )

  test('one of several creations with the same name succeeds, the others are 409', async () => {
    const creations = {
      domain: ['domains', {}],
      user: ['users', {}],
      role: ['roles', {}],
      policy: ['policies', { scope: 'project', rules: [parseRule('allow compute * get')] }],
    } as const
    for (const [key, [kind, fields]] of Object.entries(creations)) {
      const name = newId()
      const answers = await together('POST', `/v3/${kind}`, { [key]: { name, ...fields } })
      const made = answers.filter(({ status }) => status === 201)
      const taken = answers.filter(({ status }) => status === 409)
      assert.deepEqual(
        [made.length, taken.length],
        [1, crowd - 1],
        `${key}: ${statusesOf(answers)}`,
      )
      for (const answer of taken) assertError(answer, 'DuplicateNameError')
      const events = await identityApi.events(`action=create&target_type=${key}`)
      assert.equal(events.filter(({ target_name }) => target_name === name).length, 1)
    }
  })

  test('concurrent identical grants all succeed and are recorded once', async () => {
    const { id, projectId } = await identityApi.addCaller()
    const viewer = identityApi.role('project_viewer')
    const path = grantPath(viewer, { user: id }, { project: projectId })
    const answers = await together('PUT', path)
    assert.ok(
      answers.every(({ status }) => status === 204),
      statusesOf(answers),
    )
    assert.equal((await identityApi.events(`action=grant&target_id=${id}`)).length, 1)

    const taken = await together('DELETE', path)
    assert.equal(taken.filter(({ status }) => status === 204).length, 1, statusesOf(taken))
    assert.equal(taken.filter(({ status }) => status === 404).length, crowd - 1)
    assert.equal((await identityApi.events(`action=revoke&target_id=${id}`)).length, 1)
  })

  test('a caller who loses the role while queued is denied', async () => {
    const { id, token } = await identityApi.addCaller({ system: [identityApi.role('admin')] })
    const path = grantPath(identityApi.role('admin'), { user: id }, 'system')
    // All requests are authorized on arrival; the revocation is in the middle of the queue.
    const make = () =>
      callAt(platform, token, 'POST', '/v3/roles', { role: { name: `role ${newId()}` } })
    const line = Array.from({ length: crowd }, (_, index) =>
      index === crowd / 4 ? callAt(platform, identityApi.admin, 'DELETE', path) : make(),
    )
    const answers = await Promise.all(line)
    const refused = answers.filter(({ status }) => status >= 400)
    assert.ok(
      refused.every(({ status }) => status === 403),
      statusesOf(answers),
    )
    const [dismissal] = await identityApi.events(`action=revoke&target_id=${id}`)
    const changes = await identityApi.events(`user_id=${id}&result=success`)
    assert.equal(changes.length, crowd - 1 - refused.length)
    const last = dismissal?.id ?? ''
    assert.ok(last !== '' && changes.every((change) => change.id < last), 'nothing came after it')
  })

  test("two administrators who revoke each other's role leave one administrator", async () => {
    const admin = identityApi.role('admin')
    const addCaller = () =>
      identityApi.addCaller({ passwordHash: 'of a password', system: [admin] })
    const [first, second] = [await addCaller(), await addCaller()]
    // There is no other administrator.
    const path = grantPath(admin, { user: identityApi.adminId }, 'system')
    assert.equal((await callAt(platform, first.token, 'DELETE', path)).status, 204)

    const dismiss = (node: TestPlatform, who: Person, whom: Person) =>
      callAt(node, who.token, 'DELETE', grantPath(admin, { user: whom.id }, 'system'))
    const rules = async (node: TestPlatform, { token }: Person) =>
      (await callAt(node, token, 'GET', '/v3/domains')).status === 200 &&
      (await callAt(node, token, 'GET', '/v3/system/users/none/roles')).status === 200
    const pairs = [
      [platform, first, second],
      [beside, second, first],
    ] as const

    for (let round = 0; round < 6; round += 1) {
      for (const [node, who] of pairs) {
        assert.ok(
          await pollForValue(
            () => rules(node, who),
            (does) => does,
          ),
        )
      }
      const answers = await Promise.all(pairs.map(([node, who, whom]) => dismiss(node, who, whom)))
      const dismissals = answers.filter(({ status }) => status === 204)
      assert.equal(dismissals.length, 1, statusesOf(answers))
      const left = []
      for (const [node, who] of pairs) {
        const isFinal = (does: boolean) => does === (answers[left.length]?.status === 204)
        left.push(await pollForValue(() => rules(node, who), isFinal))
      }
      // The one whose request succeeded stays.
      assert.deepEqual(
        left,
        answers.map(({ status }) => status === 204),
      )
      const [stays, goes] = left[0] ? [first, second] : [second, first]
      const back = grantPath(admin, { user: goes.id }, 'system')
      assert.equal((await callAt(platform, stays.token, 'PUT', back)).status, 204)
    }
  })
})

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).join(' ')
