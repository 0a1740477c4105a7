import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { text } from 'node:stream/consumers'
import type { Server, Task } from '@muster/contract'
import { listEncryptedValues } from '../storage/encrypted-values.ts'
import { letAct } from '../testing/acting-ec2.ts'
import { assertError } from '../testing/assert-error.ts'
import { ask, loginAdmin, requestToken, secretOf } from '../testing/client.ts'
import { createTestDatabase } from '../testing/engines.ts'
import { onPostgresFirst } from '../testing/lanes.ts'
import { startFakeEc2 } from '../testing/fake-ec2.ts'
import {
  createKeyHolders,
  keyIdentity,
  type HeldKey,
} from '../testing/identity-world/access-key-holders.ts'
import { operate } from '../testing/inventory-world/operate-muster.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { shortTaskLimits } from '../testing/short-task-limits.ts'
import { temporaryFolder } from '../testing/spawn-muster.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'
import { loadSecretKey } from '../vault/secret-key.ts'

/** Receives events, and collects what it got. */
async function startReceiver(t: TestContext) {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    received.push(await text(request))
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

const fileOf = ({ folder }: Installation) => join(folder, 'secret.key')
function copyFile(from: Installation, to: Installation): void {
  copyFileSync(fileOf(from), `${fileOf(to)}.new`)
  renameSync(`${fileOf(to)}.new`, fileOf(to))
}

/** After which steps of a rotation the operator copies the key file to the other node. */
const manners = {
  'after each step': ['begin', 'activate', 'finish'],
  'only before it is used': ['begin'],
  'only at the end': [],
} as const satisfies Record<string, readonly string[]>

onPostgresFirst('after a rotation of the secret key', (engine) => {
  test('scans, actions, deliveries and logins work in every thread of every node, without a restart', async (t) => {
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const places: Installation[] = Array.from({ length: engine === 'postgres' ? 2 : 1 }, () => ({
      folder: temporaryFolder(t),
      databaseUrl,
    }))
    const [here, there = here] = places as [Installation, ...Installation[]]
    const receiver = await startReceiver(t)
    const secretFile = join(here.folder, 'webhook.secret')
    writeFileSync(secretFile, `whsec_${Buffer.alloc(32, 5).toString('base64')}\n`)
    const nodes: TestPlatform[] = []
    t.after(async () => {
      for (const node of nodes) await node.close()
    })
    for (const place of places) {
      if (place !== here) copyFile(here, place)
      const flags = [
        '--source-allow=127.0.0.1',
        `--events-webhook=${receiver.url}`,
        `--events-webhook-secret-file=${secretFile}`,
      ]
      nodes.push(await startPlatform({ engine, beside: place, flags, taskLimits: shortTaskLimits }))
    }
    const [one, other = one] = nodes as [TestPlatform, ...TestPlatform[]]
    const token = await loginAdmin(one.url)
    const ec2 = await startFakeEc2(t)
    letAct(ec2, { delay: 1, latency: () => 0, lateAfter: 0 })
    const holder = await createKeyHolders(one).addHolder({ role: 'project_editor' })
    ec2.instances.set('i-1', { name: 'web' })
    const managed = { access: 'manage', period: 86_400 }
    // The node whose key file lags behind runs the account, until it lacks a key.
    const account = await operate(other, token).attach({
      provider: 'Aws',
      ...ec2.settings,
      ...managed,
    })
    await operate(one, token).finished(account)

    const keys: HeldKey[] = []
    const createKey = async (node: TestPlatform) =>
      await ask(node.url, '/v3/credentials', {
        method: 'POST',
        token: holder.token,
        body: { credential: { type: 'aksk', project_id: holder.projectId } },
      })
    const logIn = async (node: TestPlatform, { id, secret }: HeldKey) =>
      await requestToken(node.url, { identity: keyIdentity(`${id}:${secret}`) })

    /** The account is synced and its server acted on by the node that holds the lease. */
    async function useSource(node: TestPlatform, name: string): Promise<void> {
      const { request, show, finished } = operate(node, token)
      const before = (await show(account)).sync.finished_at ?? ''
      ec2.instances.set(name, { name })
      await request(`/cloudaccounts/${account}/sync`, 'POST', {})
      const { sync } = await finished(account, before)
      assert.equal(sync.error, '')
      const { servers } = await request<{ servers: Server[] }>(
        `/servers?scope=max&details=true&name=${name}`,
      )
      const stopped = await ask(node.url, `/servers/${servers[0]?.id}/stop`, {
        method: 'POST',
        token,
        body: { server: {} },
      })
      assert.equal(stopped.status, 200, stopped.text)
      const ended = await eventually('the task ends', async () => {
        const path = `/tasks/${stopped.headers.get('x-task-id')}`
        const { task } = await request<{ task: Task }>(path)
        return task.finished_at !== null && task
      })
      assert.equal(ended.status, 'succeeded', JSON.stringify(ended))
    }

    async function useNode(node: TestPlatform): Promise<void> {
      keys.push(await createKeyHolders(node).makeOwnKey(holder))
      for (const key of keys) secretOf(await logIn(node, key))
      assert.equal((await ask(node.url, '/readyz')).status, 200)
    }
    const readiness = async (node: TestPlatform) => {
      // A check that is less than 250 ms old is shared, and so is the list of the keys.
      await pause(600)
      return await ask(node.url, '/readyz')
    }

    const runStep = async (step: string) => {
      utimesSync(fileOf(here), 0, 0)
      await runAdminCommand(here, 'rotate-key', ...(step === 'begin' ? [] : [`--${step}`]))
    }
    const steps = engine === 'postgres' ? ['begin', 'activate', 'finish'] : ['begin', 'finish']
    for (const node of nodes) await useNode(node)
    // With one node, two rotations are the same as three.
    const rounds = Object.entries<readonly string[]>(manners).slice(0, nodes.length + 1)
    for (const [manner, copied] of rounds) {
      for (const step of steps) {
        await runStep(step)
        if (there === here) continue
        if (copied.includes(step)) copyFile(here, there)
        const { status, body } = await readiness(other)
        const isLacking = copied.length === 0 && step !== 'begin'
        assert.equal(status, isLacking ? 503 : 200, `${manner}, ${step}: ${body.details}`)
        if (isLacking)
          assert.match(
            body.details,
            /lacks a key that the database uses\. Copy the key file from .* to this database\.$/,
          )
        if (!isLacking || step === 'activate') await useNode(one)
        if (isLacking) {
          await useSource(one, `i-without-${step}`)
          assert.equal((await operate(other, token).show(account)).sync.error, '')
          // Nobody learns from it which access keys exist, or where the file is.
          for (const key of [...keys, { id: 'unknown', secret: 'unknown' }]) {
            const { details } = assertError(
              await logIn(other, key),
              'ServiceUnavailable',
              'application/json',
            )
            assert.match(details, /^This node lacks a secret key [^/]*$/)
          }
        }
        // What it would encrypt now, nobody else could read.
        if (isLacking && step === 'finish') assert.equal((await createKey(other)).status, 503)
        else keys.push(await createKeyHolders(other).makeOwnKey(holder))
        const { status: check, stdout } = await runAdminCommand(there, 'check')
        assert.equal(check, isLacking ? 1 : 0, stdout)
      }
      if (there !== here) copyFile(here, there)
      assert.equal((await readiness(other)).status, 200)
      for (const node of nodes) await useNode(node)
      await useSource(one, `i-${manner.replaceAll(' ', '-')}`)
      // Nothing is left that only a process that remembers old keys can read.
      const alone = loadSecretKey(fileOf(here))
      const values = await listEncryptedValues(one.database.db)
      const unreadable = values.filter(({ value, context }) => !alone.isCurrent(value, context))
      assert.deepEqual(
        unreadable.map(({ title }) => title),
        [],
        manner,
      )
    }
    if (there !== here) {
      // The other node may not have opened the source before.
      nodes.shift()
      await one.close()
      for (const step of steps) await runStep(step)
      await eventually('the account says that nobody can run it', async () =>
        /lacks a secret key/.test((await operate(other, token).show(account)).sync.error),
      )
      copyFile(here, there)
      await useSource(other, 'i-other')
    }
    const last = keys.at(-1)?.id ?? ''
    await eventually('the last events are delivered', async () =>
      receiver.received.some((event) => event.includes(last)),
    )
  })
})
