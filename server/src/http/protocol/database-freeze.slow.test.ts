import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { operations, type ErrorBody, type Operation, type OperationId } from '@muster/contract'
import { isUnavailable } from '../../domain/error.ts'
import { assertRetryAfter } from '../../testing/assert-error.ts'
import { ask, type ClientResponse } from '../../testing/client.ts'
import { createTestDatabase } from '../../testing/engines.ts'
import { isNightly, sampleOperations } from '../../testing/lanes.ts'
import type { Resources } from '../../testing/platform-world/persona-resources.ts'
import {
  startPlatformWorld,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { suiteLifetime, temporaryFolder } from '../../testing/spawn-muster.ts'
import { startDatabaseProxy, throughProxy, type TcpProxy } from '../../testing/tcp-proxy.ts'

/** The versions that every process polls. */
const isPoll = (text: string) => text.includes('fleet_version') || text.includes('scope_versions')
const isCommit = (text: string) => /^Q[\s\S]{4}commit\0/.test(text)

/** Where PostgreSQL falls silent. It gets no answer through from then on, until the request has ended. */
const points = {
  'before a statement': [(text: string) => !isPoll(text), false],
  'within a transaction': [(text: string) => text.includes('begin;'), true],
  'before the commit': [isCommit, false],
  'after the commit': [isCommit, true],
} as const

/** Changes of servers have connections of their own. */
const changesOfServers: ReadonlySet<string> = new Set<OperationId>([
  'mergeServerMetadata',
  'updateServer',
  'startServer',
])
const sampled = new Set<Operation>(sampleOperations(operations))
const tested = operations.filter((each) => sampled.has(each) || changesOfServers.has(each.id))

const flags = ['--database-timeout=1s', '--query-timeout=60s']
/** Many times `--database-timeout`, and shorter than every other time limit. */
const patience = 8_000

describe('a PostgreSQL that falls silent', () => {
  const lifetime = suiteLifetime()
  let running: RunningPlatformWorld
  let proxy: TcpProxy
  before(async () => {
    const databaseUrl = await createTestDatabase('migrated')
    proxy = await startDatabaseProxy(lifetime, databaseUrl)
    const beside = {
      folder: temporaryFolder(lifetime),
      databaseUrl: throughProxy(databaseUrl, proxy),
    }
    running = await startPlatformWorld('postgres', { beside, flags })
    lifetime.after(() =>
      running.platform.close().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error
      }),
    )
  })

  async function answering(): Promise<void> {
    await eventually(
      'the process is ready',
      async () => (await ask(running.platform.url, '/readyz')).status === 200,
    )
  }

  /** The time limit is so short that a busy machine may exceed it. */
  async function addResources(): Promise<Resources> {
    const { organisation } = running
    const { token } = organisation.persona('admin')
    try {
      const resources = await organisation.addResources('home')
      // So that the token is cached.
      await organisation.call('listRoles', { resources, token })
      return resources
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return await addResources()
    }
  }

  async function callDuringSilence(
    id: OperationId,
    [matches, isPassed]: (typeof points)[keyof typeof points],
  ): Promise<{ answer: ClientResponse | undefined; isSilent: boolean }> {
    const { organisation } = running
    const { token } = organisation.persona('admin')
    const resources = await addResources()
    let isSilent = false
    proxy.silenceAt((chunk) => {
      isSilent ||= matches(chunk.toString('latin1'))
      return isSilent
    }, isPassed)
    const limit = new AbortController()
    const answer = await Promise.race([
      organisation.call(id, { resources, token, isDone: true }),
      pause(patience, undefined, { signal: limit.signal }).catch(() => undefined),
    ])
    limit.abort()
    proxy.restore()
    await answering()
    return { answer, isSilent }
  }

  for (const { id, method, path } of tested) {
    for (const [name, point] of Object.entries(points)) {
      const isChange = method !== 'GET' && (isNightly || changesOfServers.has(id))
      if (!isChange && name !== 'before a statement') continue
      test(`${method} ${path} ends, ${name}`, async () => {
        const { answer, isSilent } = await callDuringSilence(id, point)
        assert.ok(answer, 'no answer')
        if (!isSilent || answer.status < 300) return
        if (answer.status !== 503) return assert.ok(answer.status < 500, answer.text)
        assertRetryAfter(answer)
      })
    }
  }

  test('a change whose commit got no answer is told as unconfirmed, and may have been made', async () => {
    for (const point of ['before the commit', 'after the commit'] as const) {
      const { organisation, platform } = running
      const { token = '' } = organisation.persona('admin')
      let name = ''
      const [matches, isPassed] = points[point]
      let answer: ClientResponse<ErrorBody> | undefined
      let attempts = 0
      const isUnconfirmed = () => /may have been made/.test(answer?.body.details ?? '')
      // The commit of another transaction may have come first.
      while (!isUnconfirmed() && attempts < 5) {
        attempts += 1
        name = `unconfirmed ${point} ${attempts}`
        const seen = { insert: false, commit: false }
        await addResources()
        proxy.silenceAt((chunk) => {
          const text = chunk.toString('latin1')
          seen.insert ||= text.includes('insert into "roles"')
          // Other transactions end meanwhile.
          seen.commit ||= seen.insert && matches(text)
          return seen.commit
        }, isPassed)
        answer = await ask(platform.url, '/v3/roles', {
          method: 'POST',
          token,
          body: { role: { name } },
        })
        proxy.restore()
        await answering()
      }
      assert.ok(answer)
      assert.equal(answer.status, 503, answer.text)
      assert.match(answer.body.details, /may have been made/)
      assertRetryAfter(answer)
      const { text } = await ask(platform.url, '/v3/roles', { token })
      // What was held back may still arrive.
      if (isPassed) assert.ok(text.includes(name))
    }
  })
})
