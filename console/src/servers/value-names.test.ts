import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { values as english } from '../messages/en/values.ts'
import { values as chinese } from '../messages/zh-CN/values.ts'
import { otherTones, statusesIn } from './status.ts'
import { createValueNames } from './value-names.ts'

const names = createValueNames(english)

describe('value names', () => {
  it('show the status ready as Stopped, with the API value beside it', () => {
    assert.equal(names.name('status', 'ready'), 'Stopped')
    assert.equal(names.fullName('status', 'ready'), 'Stopped (ready)')
    assert.equal(names.fullName('status', 'running'), 'Running')
    assert.equal(names.name('provider', 'Aliyun'), 'Alibaba Cloud')
    assert.equal(names.name('region', 'ready'), 'ready')
    assert.equal(names.name('status', 'constructor'), 'constructor')
  })

  it('are translated to API values when typed', () => {
    const cases = [
      ['status:stopped', 'status:ready'],
      ['-status:Stopped,running', '-status:ready,running'],
      ['status:ready', 'status:ready'],
      ['status:failed', `status:${statusesIn.failed.join(',')}`],
      ['provider:"alibaba cloud"', 'provider:Aliyun'],
      ['provider:aws', 'provider:Aws'],
      ['provider:Mine', 'provider:Mine'],
      ['status:', 'status:'],
      ['stopped', 'stopped'],
      ['name:stopped', 'name:stopped'],
    ] as const
    for (const [typed, expected] of cases) assert.equal(names.toApiTerm(typed), expected)
    assert.equal(names.toApiQuery('web  status:stopped'), 'web status:ready')
  })

  it('survive a round trip through display and input', () => {
    for (const { values, label } of [
      { values: english, label: 'status:Stopped (ready)' },
      { values: chinese, label: 'status:已关机 (ready)' },
    ]) {
      const each = createValueNames(values)
      assert.equal(each.termLabel('status:ready'), label)
      for (const status of Object.values(statusesIn).flat()) {
        const term = `status:${status}`
        assert.equal(each.toApiTerm(each.toTypedTerm(term)), term)
      }
      const changing = `status:${statusesIn.changing.join(',')}`
      assert.equal(each.toApiTerm(each.toTypedTerm(changing)), changing)
    }
  })

  it('exist for every known status, in both languages', () => {
    for (const { statuses } of [english, chinese]) {
      const known = [...Object.values(statusesIn).flat(), ...otherTones.keys()]
      assert.deepEqual(Object.keys(statuses).sort(), known.sort())
    }
    assert.deepEqual(Object.keys(english.providers), Object.keys(chinese.providers))
  })
})
