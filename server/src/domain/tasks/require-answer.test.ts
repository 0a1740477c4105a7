import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Server } from '@muster/contract'
import { PlatformError } from '../error.ts'
import type { AttachedAccount } from '../sources/account.ts'
import { probeSource } from '../sources/probe-source.ts'
import type { OpenSource } from '../sources/open-source.ts'
import { SourceError } from '../sources/source-error.ts'
import type { Source } from '../sources/source.ts'
import { createRequireAnswer, longestSilence } from './require-answer.ts'

const serverIn = (region_ext_id: string, status = 'running') =>
  ({ external_id: 'vm-1', region_ext_id, status, metadata: {} }) as unknown as Server
const server = serverIn('here')
const attachedAt = (answered_at: number, id = 'account', warnings: readonly object[] = []) =>
  ({ account: { id, name: 'lab' }, sync: { answered_at, warnings } }) as AttachedAccount
const silent = () => new PlatformError('ServiceUnavailable', 'no answer')

test('a source is contacted only after a minute without an answer', async () => {
  for (const silence of [0, longestSilence - 1, longestSilence, 3 * longestSilence]) {
    for (const answers of [true, false]) {
      let attempts = 0
      const now = 10 * longestSilence
      const requireAnswer = createRequireAnswer({
        clock: () => now,
        async probe() {
          attempts += 1
          if (!answers) throw silent()
        },
      })
      const required = requireAnswer(attachedAt(now - silence), server)
      const isContacted = silence >= longestSilence
      if (isContacted && !answers) await assert.rejects(required, { class: 'ServiceUnavailable' })
      else await required
      assert.equal(attempts, isContacted ? 1 : 0, `${silence} ${answers}`)
    }
  }
})

test('an answer counts for a minute, and for its account only', async () => {
  let now = 10 * longestSilence
  const asked: string[] = []
  const requireAnswer = createRequireAnswer({
    clock: () => now,
    probe: async (id) => void asked.push(id),
  })
  const ask = (id: string) => requireAnswer(attachedAt(0, id), server)
  await Promise.all([ask('a'), ask('a'), ask('b')])
  assert.deepEqual(asked, ['a', 'b'], 'requests that come together share one attempt')
  now += longestSilence - 1
  await ask('a')
  assert.equal(asked.length, 2)
  now += 1
  await ask('a')
  assert.deepEqual(asked, ['a', 'b', 'a'])
})

test('regions are contacted for themselves, also while the account answers', async () => {
  const now = 10 * longestSilence
  for (const isDegraded of [false, true]) {
    for (const status of ['running', 'unknown']) {
      const contacted: string[] = []
      const requireAnswer = createRequireAnswer({
        clock: () => now,
        async probe(_id, { regionId }) {
          contacted.push(regionId)
          if (regionId === 'down') throw silent()
        },
      })
      const attached = attachedAt(now, 'account', isDegraded ? [{ kind: 'region' }] : [])
      const isContacted = isDegraded || status === 'unknown'
      for (const regions of [['up', 'down', 'down', 'up'], ['up']]) {
        const outcomes = await Promise.allSettled(
          regions.map((region) => requireAnswer(attached, serverIn(region, status))),
        )
        assert.deepEqual(
          outcomes.map((outcome) => outcome.status),
          regions.map((region) => (isContacted && region === 'down' ? 'rejected' : 'fulfilled')),
        )
      }
      assert.deepEqual(contacted, isContacted ? ['up', 'down'] : [])
    }
  }
})

test('the attempt fails with a 503 and its cause, however the source fails', async () => {
  const source = (get: Source['get']) => ({ get, close: async () => {} }) as unknown as Source
  const never = new Promise<never>(() => {})
  const refused = async () => {
    throw new SourceError('unreachable', 'Connection refused.')
  }
  const openings: Record<string, OpenSource['openAccount']> = {
    'not opened': refused,
    'never opened': () => never,
    'not read': async () => source(refused),
    'never read': async () => source(() => never),
  }
  for (const [name, openAccount] of Object.entries(openings)) {
    const { account } = attachedAt(0)
    await assert.rejects(
      probeSource({ openAccount }, account, {} as never, 5),
      (error) =>
        error instanceof PlatformError &&
        error.class === 'ServiceUnavailable' &&
        /"lab" does not answer.*(?:refused|no response within 0\.005 s)/.test(error.message),
      name,
    )
  }
  for (const kind of ['incomplete', 'forbidden', 'failed', 'throttled'] as const) {
    const answering = async () =>
      source(async () => {
        throw new SourceError(kind, 'An answer.')
      })
    await probeSource({ openAccount: answering }, attachedAt(0).account, {} as never)
  }
  // A server that is gone is an answer.
  const openAccount = async () => source(async () => undefined)
  await probeSource({ openAccount }, attachedAt(0).account, {} as never)
})
