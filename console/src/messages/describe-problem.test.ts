import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ErrorClass, ErrorValues, TaskErrorClass } from '@muster/contract'
import { serverActions, taskErrorClasses } from '@muster/contract'
import { describeRefusal, describeTaskError } from './describe-problem.ts'
import { en } from './en/index.ts'
import { zhCN } from './zh-CN/index.ts'

const languages = [
  { messages: en, script: /[a-z]{4}/ },
  { messages: zhCN, script: /\p{Script=Han}{2}/u },
]
/** Names of the API, which people do not read. */
const apiNames =
  /is_force|force_stop|override_pending_delete|disable_delete|cancel-delete|change-config|vmem_size|[a-z]_[a-z]|\bready\b|undefined|\[object/

const name = 'prod'
const refusals: readonly [ErrorClass, ErrorValues][] = [
  ['InvalidStatusError', { account: 'deleted' }],
  ['InvalidStatusError', { account: 'disabled', name }],
  ['InvalidStatusError', { account: 'reports', name }],
  ['AccountReadOnlyError', { name }],
  ['ServiceUnavailable', { name }],
  ['NotSupportedError', { lost_on_stop: 'It is transient.' }],
  ['NotSupportedError', { scaling_group_id: 'web-group' }],
  ['NotSupportedError', { field: 'vmem_size', fields: ['instance_type'] }],
  ['NotSupportedError', { field: 'delete_disks' }],
  ['NotSupportedError', { field: 'shutdown_behavior' }],
  ['InvalidStatusError', { protected_by: 'source' }],
  ['InvalidStatusError', { protected_by: 'muster' }],
  ['InvalidStatusError', { pending_deleted: true }],
  ['InvalidStatusError', { pending_deleted: false }],
  ['InvalidStatusError', { status: 'deleted' }],
  ['InvalidStatusError', { status: 'start_stop', action: 'stop' }],
  ['InvalidStatusError', { account: 'missing', name }],
  ...Object.keys(en.session.actions).map((permission): [ErrorClass, ErrorValues] => [
    'ForbiddenError',
    { permission, resource: 'servers' },
  ]),
  ['TooManyRequests', { limit: 'batches', most: 10 }],
  ['TooManyRequests', { limit: 'tasks', most: 100 }],
  ...serverActions.flatMap((action): [ErrorClass, ErrorValues][] => [
    ['NotSupportedError', { name, action }],
    ['InvalidStatusError', { status: 'ready', action, from: ['running', 'ready'] }],
    ['ConflictError', { task_id: 'a', task_action: action }],
  ]),
]

describe('problems', () => {
  it('of every refusal are worded in each language, without names of the API', () => {
    for (const { messages, script } of languages) {
      const texts = refusals.map(([kind, values]) => {
        const text = describeRefusal(messages, { class: kind, values }) ?? ''
        assert.match(text, script, JSON.stringify(values))
        assert.doesNotMatch(text, apiNames)
        if (values['name'] !== undefined) assert.ok(text.includes(name), text)
        return text
      })
      assert.equal(new Set(texts).size, texts.length, 'two refusals have one text')
    }
  })

  it('without values keep the text of the API', () => {
    assert.equal(describeRefusal(en, { class: 'ForbiddenError' }), undefined)
    assert.equal(describeRefusal(en, {}), undefined)
  })

  it('of every task are worded with what the source said and what was done', () => {
    const values = {
      request: 'StopInstances',
      answer: 'InternalError',
      status: 'ready',
      seconds: 60,
      done: ['ModifyVolume vol-1'],
      remaining: ['StopInstances i-1', 'StartInstances i-1'],
    }
    const kinds = taskErrorClasses.filter((kind) => kind !== '' && kind !== 'refused')
    for (const { messages, script } of languages) {
      const texts = kinds.map((kind: TaskErrorClass) => {
        const plain = describeTaskError(messages, task(kind))
        assert.match(plain, script)
        assert.doesNotMatch(plain, apiNames)
        const text = describeTaskError(messages, task(kind, values))
        assert.doesNotMatch(text, apiNames)
        for (const part of ['StopInstances: InternalError', 'vol-1', 'StartInstances i-1'])
          assert.ok(text.includes(part), text)
        return plain
      })
      assert.equal(new Set(texts).size, texts.length, 'two classes have one text')
    }
  })

  it('of a refused task are those of the refusal, and otherwise of the API', () => {
    const refused = { class: 'AccountReadOnlyError', name }
    assert.match(describeTaskError(en, task('refused', refused)), /prod.*observe only/)
    assert.equal(describeTaskError(en, task('refused')), 'In English.')
    assert.equal(describeTaskError(en, { ...task(''), error: '' }), '')
  })
})

const task = (error_class: TaskErrorClass, error_values: ErrorValues = {}) => ({
  error: 'In English.',
  error_class,
  error_values,
})
