import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  addRule,
  checkRules,
  draftsOf,
  isSameMapping,
  mappingOf,
  moveRule,
  removeRule,
  replaceRule,
  ruleProblemsFrom,
} from './mapping-rules.ts'

const mapping = [
  { tag: 'team=web', project_id: 'web' },
  { tenant: 't-*', name: 'db-*', project_id: 'db' },
  { account: 'aws-*', project_id: 'rest' },
]
const projects = (drafts: ReturnType<typeof draftsOf>) => drafts.map(({ projectId }) => projectId)

describe('mapping rules', () => {
  it('survive a round trip', () => {
    assert.deepEqual(mappingOf(draftsOf(mapping)), mapping)
    assert.ok(isSameMapping(mapping, mappingOf(draftsOf(mapping))))
    assert.ok(!isSameMapping(mapping, mapping.slice(1)))
    assert.ok(isSameMapping([{ project_id: 'p', tag: 'a' }], [{ tag: 'a', project_id: 'p' }]))
  })

  it('move by one position, and not beyond the ends', () => {
    const drafts = draftsOf(mapping)
    assert.deepEqual(projects(moveRule(drafts, 1, -1)), ['db', 'web', 'rest'])
    assert.deepEqual(projects(moveRule(drafts, 1, 1)), ['web', 'rest', 'db'])
    assert.deepEqual(projects(moveRule(drafts, 0, -1)), ['web', 'db', 'rest'])
    assert.deepEqual(projects(moveRule(drafts, 2, 1)), ['web', 'db', 'rest'])
  })

  it('are neither lost nor duplicated by moves, and opposite moves cancel out', () => {
    const move = fc.record({ key: fc.nat(3), by: fc.constantFrom<(-1 | 1)[]>(-1, 1) })
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        let drafts = draftsOf(mapping)
        for (const { key, by } of moves) {
          const next = moveRule(drafts, key, by)
          const back = moveRule(next, key, by === 1 ? -1 : 1)
          if (next !== drafts) assert.deepEqual(back, drafts)
          drafts = next
        }
        assert.deepEqual(projects(drafts).toSorted(), ['db', 'rest', 'web'])
      }),
    )
  })

  it('can be added with a unique key, changed and removed', () => {
    const drafts = addRule(removeRule(draftsOf(mapping), 0))
    assert.deepEqual(
      drafts.map(({ key }) => key),
      [1, 2, 3],
    )
    const changed = replaceRule(drafts, { ...drafts[2]!, name: ' web-* ', projectId: 'web' })
    assert.deepEqual(mappingOf(changed).at(-1), { name: 'web-*', project_id: 'web' })
    assert.equal(addRule([]).at(0)?.key, 0)
  })

  it('need a condition and a project', () => {
    const [rule] = draftsOf(mapping)
    const blank = { ...rule!, tag: ' ' }
    assert.equal(checkRules([blank]).get(0), 'condition')
    assert.equal(checkRules([{ ...rule!, projectId: '' }]).get(0), 'project')
    assert.equal(checkRules(draftsOf(mapping)).size, 0)
  })

  it('are identified in API errors by their index in the request', () => {
    const drafts = moveRule(draftsOf(mapping), 2, -1)
    const problem = 'names no project'
    for (const path of ['mapping.1.project_id', 'cloudaccount.mapping.1']) {
      const found = ruleProblemsFrom([{ path, problem }], drafts)
      assert.deepEqual([...found], [[2, { apiError: problem }]])
    }
    assert.equal(ruleProblemsFrom([{ path: 'name', problem }], drafts).size, 0)
  })
})
