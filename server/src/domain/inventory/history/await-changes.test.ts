import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../testing/eventually.ts'
import { PlatformError } from '../../error.ts'
import type { ScopeOrNone } from '../../scope.ts'
import { createAwaitChanges } from './await-changes.ts'
import type { ChangeRecord } from './ports.ts'

const scopeOf = (projectId: string): ScopeOrNone => ({
  kind: 'project',
  projectId,
  domainId: 'domain',
})
const limits = { mostWaiting: 4, mostOfUser: 2, interval: 5 }
const long = 30_000

/** A log of changes, and how often it was read. */
function createLog() {
  const records: ChangeRecord[] = []
  const log = {
    reads: 0,
    isBroken: false,
    add(commit: number, project: string, former = project) {
      const owner = { projectId: project, domainId: 'domain' }
      const position = { commit, seq: 1, time: commit }
      records.push({
        position,
        owner,
        formerOwner: { ...owner, projectId: former },
      } as ChangeRecord)
    },
    async listAfter({ commit }: { readonly commit: number }, limit: number) {
      log.reads += 1
      if (log.isBroken) throw new Error('the database does not answer')
      return records.filter(({ position }) => position.commit > commit).slice(0, limit)
    },
  }
  return log
}

const start = (log = createLog()) => ({ log, feed: createAwaitChanges(log, limits) })
const by = (user: string, signal?: AbortSignal) => ({ user, signal })

void test('wakes those in whose scope something changed, also for a server that left it', async () => {
  const { log, feed } = start()
  const one = feed.wait({ scope: scopeOf('one'), commit: 5 }, long, by('a'))
  const two = feed.wait({ scope: scopeOf('two'), commit: 5 }, long, by('b'))
  let isAwake = false
  const three = feed.wait({ scope: scopeOf('three'), commit: 5 }, long, by('c')).then((value) => {
    isAwake = true
    return value
  })
  log.add(6, 'one', 'two')
  assert.deepEqual([await one, await two], [true, true])
  assert.equal(isAwake, false)
  log.add(7, 'three')
  assert.equal(await three, true)
})

void test('reads the database once for all that wait, and not when nobody does', async () => {
  const { log, feed } = start()
  const waiting = ['a', 'b', 'c', 'd'].map((user) =>
    feed.wait({ scope: scopeOf(user), commit: 0 }, 40, by(user)),
  )
  assert.deepEqual(await Promise.all(waiting), [false, false, false, false])
  // At most one look in 5 ms, of which all could be late but none early.
  assert.ok(log.reads <= 9, String(log.reads))
  const { reads } = log
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.ok(log.reads <= reads + 1)
})

void test('does not let a request wait that knows less than the others', async () => {
  const { log, feed } = start()
  const other = feed.wait({ scope: scopeOf('other'), commit: 9 }, long, by('a'))
  log.add(8, 'one')
  assert.equal(await feed.wait({ scope: scopeOf('one'), commit: 7 }, long, by('b')), true)
  log.add(10, 'other')
  assert.equal(await other, true)
})

void test('goes on after a failure of the database', async () => {
  const { log, feed } = start()
  log.isBroken = true
  const waiting = feed.wait({ scope: { kind: 'system' }, commit: 0 }, long, by('a'))
  await eventually('the log is read again', () => log.reads >= 2)
  log.isBroken = false
  log.add(1, 'one')
  assert.equal(await waiting, true)
})

void test('lets few requests wait, of a user and in all, until others end', async () => {
  const { feed } = start()
  const gone = new AbortController()
  const wait = (user: string, signal?: AbortSignal) =>
    feed.wait({ scope: scopeOf('one'), commit: 0 }, long, by(user, signal))
  const tooMany = (error: unknown) =>
    error instanceof PlatformError && error.class === 'TooManyRequests'
  const waiting = [wait('a', gone.signal), wait('a')]
  await assert.rejects(wait('a'), tooMany)
  waiting.push(wait('b'), wait('c'))
  await assert.rejects(wait('d'), tooMany)
  gone.abort()
  waiting.push(wait('d'))
  assert.equal(await wait('d', gone.signal), false)
  feed.stop()
  assert.deepEqual(await Promise.all(waiting), [false, false, false, false, false])
  assert.equal(await wait('a'), false, 'the process stops')
})
