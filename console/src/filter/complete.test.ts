import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as complete from './complete.ts'
import { filterKeys, findKey } from './keys.ts'

const { withKey, withValue } = complete
const completionAt = (draft: string) => complete.completionAt(draft, filterKeys)

describe('completing a draft', () => {
  it('suggests keys before an operator', () => {
    const completing = completionAt('sta')
    assert.equal(completing.kind, 'keys')
    assert.deepEqual(completing.kind === 'keys' && completing.keys.map(({ name }) => name), [
      'status',
    ])
    assert.equal(completionAt('-pro').kind, 'keys')
  })

  it('suggests values after an operator, for the last of several', () => {
    assert.deepEqual(pick('status:running,re'), { head: 'status:running,', typed: 're' })
    assert.deepEqual(pick('-project:'), { head: '-project:', typed: '' })
    assert.deepEqual(pick('project:"my pro'), { head: 'project:', typed: 'my pro' })
  })

  it('suggests nothing for an unknown field', () => {
    assert.equal(completionAt('colour:re').kind, 'nothing')
  })

  it('inserts the chosen suggestion', () => {
    const vcpu = findKey(filterKeys, 'vcpu')
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
