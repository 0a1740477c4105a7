import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { completionAt, withKey, withValue } from './complete.ts'
import { findKey } from './keys.ts'

describe('what a draft can become', () => {
  it('is a key while no sign stands there', () => {
    const completing = completionAt('sta')
    assert.equal(completing.kind, 'keys')
    assert.deepEqual(completing.kind === 'keys' && completing.keys.map(({ name }) => name), [
      'status',
    ])
    assert.equal(completionAt('-pro').kind, 'keys')
  })

  it('is a value behind a sign, the last of several', () => {
    assert.deepEqual(pick('status:running,re'), { head: 'status:running,', typed: 're' })
    assert.deepEqual(pick('-project:'), { head: '-project:', typed: '' })
    assert.deepEqual(pick('project:"my pro'), { head: 'project:', typed: 'my pro' })
  })

  it('is nothing for a field that it does not know', () => {
    assert.equal(completionAt('colour:re').kind, 'nothing')
  })

  it('becomes a term', () => {
    const vcpu = findKey('vcpu')
    assert(vcpu)
    assert.equal(withKey('web -vc', vcpu), 'web -vcpu>=')
    assert.equal(withValue('-project:', 'my project'), '-project:"my project"')
  })
})

function pick(draft: string) {
  const completing = completionAt(draft)
  assert.equal(completing.kind, 'values')
  const { head, typed } = completing as { head: string; typed: string }
  return { head, typed }
}
