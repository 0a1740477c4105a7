import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EventDto } from '@muster/contract'
import { en } from '../../messages/en/index.ts'
import { createFormat } from '../../messages/format.ts'
import { createValueNames } from '../../servers/value-names.ts'
import { actionText, describeEvent, isBrief, withoutBeginnings } from './describe-event.ts'

const words = {
  messages: en,
  format: createFormat('en'),
  names: createValueNames(en.values),
  projectName: (id: string) => id,
}
const describeChanges = (changes: EventDto['changes'], target_type = 'user') =>
  describeEvent({ target_type, changes }, words)

it('an action is in words, those on servers as their buttons', () => {
  assert.equal(actionText(en, 'grant'), 'Grant a role to')
  assert.equal(actionText(en, 'change-config'), 'Resize')
  assert.equal(actionText(en, 'dance'), 'dance')
})

describe('the changes of an event', () => {
  it('are texts, before and after', () => {
    const changes = describeChanges({
      enabled: [true, false],
      name: ['web', 'www'],
      tags: [null, { env: 'prod' }],
      vcpu: [0, 2],
      assignment: [null, { role: 'project_owner', role_id: 'r', on: 'project' }],
      expires_at: [null, '2026-05-04T08:00:00.000000Z'],
      task_id: [null, 't'],
    })
    assert.deepEqual(
      changes.map(({ label, before, after }) => [label, before, after]),
      [
        ['enabled', 'Yes', 'No'],
        ['name', 'web', 'www'],
        ['tags', undefined, '{"env":"prod"}'],
        ['vcpu', '0', '2'],
        ['role', undefined, 'project_owner'],
        ['expires', undefined, words.format.dateTime('2026-05-04T08:00:00.000000Z')],
      ],
    )
  })

  it('are in words and units if they are those of a server', () => {
    const changes = describeChanges({ vmem_size: [4096, 8192] }, 'server')
    assert.deepEqual(changes, [
      { key: 'vmem_size', label: 'Memory', before: '4 GB', after: '8 GB' },
    ])
  })

  it('tell durations in their largest unit', () => {
    const changes = describeChanges({ period: [90, 3_600], grace: [0, 2_592_000] })
    assert.deepEqual(
      changes.map(({ label, before, after }) => [label, before, after]),
      [
        ['sync interval', '90 seconds', '1 hour'],
        ['grace time', '0 seconds', '30 days'],
      ],
    )
  })

  it('have parameters of actions in words, of a task and of a batch', () => {
    const lines = (changes: EventDto['changes'], type: string) =>
      describeChanges(changes, type).map(({ label, after }) => `${label}: ${after}`)
    const force = `${en.actions.force}: Yes`
    assert.deepEqual(lines({ task_id: [null, 't'], 'params.is_force': [null, true] }, 'server'), [
      force,
    ])
    const batch: EventDto['changes'] = {
      action: [null, 'stop'],
      params: [null, { is_force: true }],
      servers: [null, 5],
    }
    assert.deepEqual(lines(batch, 'batch'), ['action: Stop', 'servers: 5', force])
    assert.deepEqual(lines({ method: [null, 'aksk'] }, 'user'), ['by: access key'])
  })

  it('leave out values that are empty before and after', () => {
    assert.deepEqual(describeChanges({ description: [null, ''] }), [])
  })

  it('are short if they fit into a table row', () => {
    assert.equal(isBrief(describeChanges({ enabled: [true, false] })), true)
    assert.equal(isBrief(describeChanges({ a: [1, 2], b: [1, 2], c: [1, 2] })), false)
    assert.equal(isBrief(describeChanges({ a: [null, 'x'.repeat(100)] })), false)
  })
})

it('a task is one row once it has ended', () => {
  const event = (id: string, changes: EventDto['changes']) => ({ id, changes }) as EventDto
  const accepted = (task: string) => event(`accepted ${task}`, { task_id: [null, task] })
  const ended = (task: string) =>
    event(`ended ${task}`, { task_id: [null, task], task_status: ['running', 'failed'] })
  const rows = [accepted('b'), ended('a'), event('login', {}), accepted('a')]
  const shown = (result: string | undefined) => withoutBeginnings(rows, result).map(({ id }) => id)
  assert.deepEqual(shown(undefined), ['accepted b', 'ended a', 'login'])
  // Whether "b" is done is not known, and "a" has failed.
  assert.deepEqual(shown('success'), ['ended a', 'login'])
  assert.deepEqual(shown('failure'), ['accepted b', 'ended a', 'login'])
})
