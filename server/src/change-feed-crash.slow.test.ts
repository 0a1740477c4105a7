import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerChange } from '@muster/contract'
import { ask, loginAdmin, type ClientResponse } from './testing/client.ts'
import { createTestDatabase } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { startFakeEc2 } from './testing/fake-ec2.ts'
import { operate, startOperatedMuster } from './testing/inventory-world/operate-muster.ts'
import { nightlyRuns, onPostgresFirst } from './testing/lanes.ts'
import { spawnProcess, temporaryFolder } from './testing/spawn-muster.ts'

const consumerFile = fileURLToPath(new URL('testing/consume-changes.ts', import.meta.url))
const servers = 60

onPostgresFirst('a consumer of changes', (engine) => {
  test('has each change once, although it and Muster are killed at any time', async (t) => {
    const folder = temporaryFolder(t)
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    const place = { folder, ...(databaseUrl !== undefined && { databaseUrl }) }
    const addressFile = join(folder, 'address')
    const resultFile = join(folder, 'results.db')
    const ec2 = await startFakeEc2(t)
    for (let number = 0; number < servers; number += 1) {
      ec2.instances.set(`i-${String(number).padStart(17, '0')}`, { name: `server-${number}` })
    }

    let muster = await startOperatedMuster(t, place)
    writeFileSync(addressFile, muster.baseUrl)
    const token = await loginAdmin(muster.authUrl)
    const startConsumer = () =>
      spawnProcess(t, {
        command: [process.execPath, consumerFile],
        flags: [addressFile, token, resultFile],
      })
    let consumer = startConsumer()
    const id = await operate(muster, token).attach({
      provider: 'Aws',
      ...ec2.settings,
      period: 3_600,
    })
    await operate(muster, token).finished(id)
    const ids = (await operate(muster, token).servers()).map((server) => server.id)

    /** Several clients tag servers, whether or not they get an answer. */
    const isDone = { tagging: false }
    let tagged = 0
    async function tag(client: number): Promise<void> {
      for (let count = 0; !isDone.tagging; count += 1) {
        const path = `/servers/${ids[randomInt(ids.length)]}/metadata`
        const body = { metadata: { [`client-${client}`]: `value ${count}` } }
        const answer = await ask(muster.baseUrl, path, { method: 'POST', token, body }).catch(() =>
          pause(20),
        )
        if (answer?.status === 200) tagged += 1
      }
    }
    const tagging = [1, 2, 3].map(tag)
    for (let kill = 0; kill < nightlyRuns(30); kill += 1) {
      const before = tagged
      await eventually('some servers are tagged', () => tagged > before + 3)
      await pause(randomInt(300))
      if (kill % 3 === 0) {
        await muster.end('SIGKILL')
        muster = await startOperatedMuster(t, place)
        writeFileSync(addressFile, muster.baseUrl)
      } else {
        await consumer.end('SIGKILL')
        consumer = startConsumer()
      }
    }
    isDone.tagging = true
    await Promise.all(tagging)

    const listed: string[] = []
    let path: string | undefined = '/servers/changes?scope=system&order=asc&limit=500'
    while (path !== undefined) {
      const page: ClientResponse<{ changes: ServerChange[] }> = await ask(muster.baseUrl, path, {
        token,
      })
      listed.push(...page.body.changes.map((change) => change.id))
      const [, next] = /<([^>]+)>/.exec(page.headers.get('link') ?? '') ?? []
      path = next === undefined ? undefined : new URL(next).pathname + new URL(next).search
    }
    const read = () => {
      const database = new DatabaseSync(resultFile)
      try {
        const rows = database.prepare('select change from results order by number').all()
        return rows.map(({ change }) => change as string)
      } finally {
        database.close()
      }
    }
    await eventually('the last change is consumed', () => read().includes(listed.at(-1) ?? ''))
    assert.ok(listed.length > servers + 20, String(listed.length))
    assert.deepEqual(read(), listed)
    await consumer.end('SIGKILL')
    await muster.end('SIGTERM')
  })
})
