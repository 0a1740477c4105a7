import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Account, AttachedAccount, SyncRecord } from '@muster/server/demo-port'
import { waitForDemo } from './wait-for-demo.ts'

const accountOf = (id: string, changes: Partial<Account> = {}) =>
  ({ id, name: id, enabled: true, isBeingDeleted: false, revision: 2, ...changes }) as Account

const attachedOf = (
  id: string,
  sync: Partial<SyncRecord> = {},
  changes: Partial<Account> = {},
): AttachedAccount => ({
  account: accountOf(id, changes),
  sync: {
    seen: 0,
    finished_at: null,
    failures: 0,
    error: '',
    mapped_revision: 2,
    ...sync,
  } as SyncRecord,
})

/** Waits for accounts that go through these states. */
async function load(waiting: readonly AttachedAccount[], ...moments: AttachedAccount[][]) {
  let shown = 0
  const reconciled: string[] = []
  const left = moments.values()
  await waitForDemo({
    host: {
      async listAccounts() {
        const { value, done } = left.next()
        assert.ok(!done, 'it waits for something that will not come')
        return value
      },
      reconcile: async (id) => void reconciled.push(id),
    },
    waiting,
    showProgress: async () => {
      shown += 1
    },
    signal: new AbortController().signal,
  })
  assert.ok(left.next().done, 'it has not waited for the end')
  return { shown, reconciled }
}

describe('loading a demo', () => {
  test('waits until all servers of its accounts are stored, and shows progress', async () => {
    const outcome = await load(
      [attachedOf('a'), attachedOf('b')],
      [attachedOf('a', { seen: 5 }), attachedOf('b'), attachedOf('another', { seen: 99 })],
      [attachedOf('a', { seen: 9, finished_at: 7 }), attachedOf('b', { seen: 2 })],
      [attachedOf('a', { seen: 1, finished_at: 7 }), attachedOf('b', { seen: 4, finished_at: 8 })],
    )
    assert.deepEqual(outcome, { shown: 3, reconciled: ['a'] })
  })

  test('ignores an older sync', async () => {
    await load(
      [attachedOf('a', { finished_at: 7 })],
      [attachedOf('a', { finished_at: 7 })],
      [attachedOf('a', { finished_at: 8, mapped_revision: 1 })],
      [attachedOf('a', { finished_at: 9 })],
    )
  })

  test('does not wait for deleted or disabled accounts', async () => {
    const waiting = ['a', 'b', 'c'].map((id) => attachedOf(id))
    await load(waiting, [
      attachedOf('b', {}, { enabled: false }),
      attachedOf('c', {}, { isBeingDeleted: true }),
    ])
  })

  test('keeps waiting if a sync fails, because it is retried', async () => {
    await load(
      [attachedOf('a')],
      [attachedOf('a', { failures: 1, error: 'No answer.' })],
      [attachedOf('a', { finished_at: 7 })],
    )
  })

  test('ends when stopped', async () => {
    const stopped = new AbortController()
    await waitForDemo({
      host: {
        listAccounts: async () => [attachedOf('a')],
        reconcile: async () => {},
      },
      waiting: [attachedOf('a')],
      showProgress: async () => stopped.abort(),
      signal: stopped.signal,
    })
  })

  test('without accounts makes no query', async () => {
    assert.deepEqual(await load([]), { shown: 0, reconciled: [] })
  })
})
