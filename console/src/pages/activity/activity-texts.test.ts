import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { operations } from '@muster/contract'
import { en } from '../../messages/en/index.ts'
import { zhCN } from '../../messages/zh-CN/index.ts'
import { actionText } from './describe-event.ts'
import { createRecordDenial } from '../../../../server/src/domain/audit/record-denial.ts'
import type { EventStore } from '../../../../server/src/domain/audit/event-store.ts'
import type { EventRecord } from '../../../../server/src/domain/audit/event.ts'

/** What the audit log calls a refused change, which is what it would have called the change. */
async function refusedChanges(): Promise<readonly EventRecord[]> {
  const recorded: EventRecord[] = []
  const events = { record: async (event: EventRecord) => void recorded.push(event) }
  const { recordDenial, flushDenials } = createRecordDenial(
    events as unknown as EventStore,
    Date.now,
  )
  for (const operation of operations) {
    if (operation.method === 'GET' || !('permission' in operation)) continue
    await recordDenial({
      user: { id: 'u', name: 'alice', domainId: 'd', domain: 'Acme' } as never,
      origin: { ip: '', requestId: '', isConfidential: true },
      operation,
      named: {},
    })
  }
  await flushDenials()
  return recorded
}

/** The names that the source of the server writes into events. */
function writtenTypes(): readonly string[] {
  const files = globSync('server/src/**/*.ts').filter((file) => !file.includes('.test.'))
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/targetType: '(\w+)'/g)].map(([, type = '']) => type),
  )
}

test('the console has words for every action and target of the audit log', async () => {
  const refused = await refusedChanges()
  const types = new Set([...refused.map(({ target_type }) => target_type), ...writtenTypes()])
  const actions = new Set([...refused.map(({ action }) => action), 'login', 'logout', 'restore'])
  assert.ok(types.size > 15, [...types].join())
  assert.ok(actions.size > 15, [...actions].join())
  for (const messages of [en, zhCN]) {
    assert.deepEqual(
      [...types].filter((type) => !(type in messages.activity.types)),
      [],
    )
    assert.deepEqual(
      [...actions].filter((action) => actionText(messages, action) === action),
      [],
    )
  }
})
