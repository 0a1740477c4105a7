import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type KeyRestrictionInput, type OperationId } from '@muster/contract'
import { ask, requestToken, secretOf } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import type { Resources } from '../../testing/platform-world/persona-resources.ts'
import {
  operationOf,
  readSecret,
  startPlatformWorld,
  type Persona,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { changedTables } from '../../testing/platform-world/snapshots.ts'

const ids = operations.map(({ id }) => id)

/** These read, although their method is that of a change. */
const readingPosts: ReadonlySet<string> = new Set(['previewCloudAccountMapping', 'checkPolicy'])

/** Not from the permissions, which the code reads too. */
const isWriting = (id: OperationId) =>
  !['GET', 'HEAD'].includes(operationOf(id).method) && !readingPosts.has(id)

/** Those whose credential is no token, those that every token has, and those that end the token. */
const apart: ReadonlySet<string> = new Set(['issueToken', 'setFirstPassword', 'revokeToken'])
const writing = ids.filter((id) => isWriting(id) && !apart.has(id))
/** Needs the permission `perform`, so a key that changes nothing lacks it. */
const reading = ids.filter((id) => !isWriting(id) && !apart.has(id) && id !== 'checkPolicy')

/** The operations that each action allows. */
const operationsOf: Readonly<Record<string, readonly OperationId[]>> = {
  start: ['startServer'],
  delete: ['deleteServer', 'cancelServerDeletion', 'purgeServer'],
  update: [
    'updateServer',
    'mergeServerMetadata',
    'replaceServerMetadata',
    'addUserMetadata',
    'setUserMetadata',
  ],
  syncstatus: ['syncServer'],
}

/** What a refusal changes. */
const tales: ReadonlySet<string> = new Set(['events'])

onEngineOfLane('restricted access keys', (engine) => {
  let running: RunningPlatformWorld
  let resources: Resources
  before(async () => {
    running = await startPlatformWorld(engine)
    resources = await running.organisation.addResources('home')
  })
  after(() => running.platform.close())

  async function logIn({ token, place }: Persona, restriction: KeyRestrictionInput | null) {
    const { url } = running.platform
    const made = await ask<Parameters<typeof readSecret>[0]>(url, '/v3/credentials', {
      method: 'POST',
      ...(token !== undefined && { token }),
      body: { credential: { type: 'aksk', project_id: place.projectId, restriction } },
    })
    assert.equal(made.status, 201, made.text)
    const access_key_secret = `${made.body.credential.id}:${readSecret(made.body)}`
    return secretOf(await requestToken(url, { identity: { methods: ['aksk'], access_key_secret } }))
  }

  const call = (id: OperationId, token: string | undefined) =>
    running.organisation.call(id, { resources, token })

  for (const name of ['admin', 'owner', 'viewer'] as const) {
    describe(`of the ${name}`, () => {
      let readOnly: string
      let full: string
      before(async () => {
        const persona = running.organisation.persona(name)
        readOnly = await logIn(persona, { read_only: true })
        full = await logIn(persona, null)
      })

      test('SEC-08: a read-only key changes nothing, by no operation', async () => {
        const earlier = await running.takeSnapshot()
        for (const id of writing) {
          const { status, text } = await call(id, readOnly)
          assert.equal(status, 403, `${id}: ${text}`)
        }
        const changed = changedTables(earlier, await running.takeSnapshot())
        assert.deepEqual(
          changed.filter((table) => !tales.has(table)),
          [],
        )
      })

      test('reads by every operation what its holder reads', async () => {
        for (const id of reading) {
          if (operationOf(id).access === 'public') continue
          const answers = [await call(id, readOnly), await call(id, full)]
          const [own, whole] = answers.map(({ status }) => status)
          assert.equal(own, whole, id)
        }
      })

      test('is told what it may do, as the operations decide', async () => {
        const { body } = await ask<{ permissions: { operation: string; reach: string | null }[] }>(
          running.platform.url,
          '/v3/auth/permissions',
          { token: readOnly },
        )
        const allowed = body.permissions.filter(({ reach }) => reach !== null)
        const changing = allowed.filter(({ operation }) => writing.includes(operation as never))
        // These ask for the permission of the action that they cancel or begin.
        const inside = new Set(['cancelBatch', 'cancelTask', 'createBatch'])
        assert.deepEqual(
          changing.map(({ operation }) => operation).filter((id) => !inside.has(id)),
          [],
        )
      })
    })
  }

  test('SEC-08: a key for some actions performs these and changes nothing else', async () => {
    const admin = running.organisation.persona('admin')
    const full = await logIn(admin, null)
    for (const [action, allowed] of Object.entries(operationsOf)) {
      const token = await logIn(admin, { actions: [action as 'start'] })
      for (const id of writing.filter(
        (each) => !['cancelTask', 'cancelBatch', 'createBatch'].includes(each),
      )) {
        if (!allowed.includes(id)) {
          assert.equal((await call(id, token)).status, 403, `${action}: ${id}`)
        }
      }
      for (const id of allowed) {
        const fresh = await running.organisation.addResources('home')
        const other = await running.organisation.addResources('home')
        const own = await running.organisation.call(id, { resources: fresh, token })
        const whole = await running.organisation.call(id, { resources: other, token: full })
        assert.equal(own.status, whole.status, `${action}: ${id}: ${own.text}`)
        assert.notEqual(own.status, 403, `${action}: ${id}: ${own.text}`)
      }
    }
  })

  test('SEC-08: a key for some projects sees no name of another one, by any operation', async () => {
    const { organisation } = running
    const admin = organisation.persona('admin')
    const { projectId } = admin.place
    const token = await logIn(admin, { projects: [projectId] })
    const { db } = running.platform.database
    const others = await db
      .selectFrom('projects')
      .select('name')
      .where('id', '!=', projectId)
      .execute()
    const hidden = others.map(({ name }) => name).filter((name) => name.length > 8)
    assert.ok(hidden.length > 2)
    const listing = ids.filter(
      (id) => operationOf(id).method === 'GET' && operationOf(id).access === 'token',
    )
    let shown = 0
    for (const id of listing) {
      const answer = await organisation.call(id, {
        resources,
        token,
        edit: (parts) => ({ ...parts, query: {} }),
      })
      if (answer.status < 300) shown += 1
      for (const name of hidden) assert.ok(!answer.text.includes(name), `${id} shows ${name}`)
    }
    assert.ok(shown > 20, `${shown} operations answered`)
    // Guards the check: without the restriction the names are there.
    const whole = await call('listProjects', await logIn(admin, null))
    assert.ok(hidden.some((name) => whole.text.includes(name)))
  })
})
