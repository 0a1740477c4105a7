import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDraft, draftsOf, isComplete, mappingOf } from './mapping-drafts.ts'

const ends = [{ project_id: 'p' }, { domain_id: 'd' }]
const conditions = [
  {},
  { attribute: 'groups', value: 'staff' },
  { attribute: 'groups', value: 'a*b' },
  { attribute: 'group_dns', pattern: 'cn=*,ou=x' },
]

test('a mapping stays the same in the form', () => {
  const mapping = conditions.flatMap((rule) =>
    ends.map((end) => ({ ...rule, role_id: 'r', ...end })),
  )
  const drafts = draftsOf(mapping)
  assert.deepEqual(mappingOf(drafts), mapping)
  assert.ok(drafts.every(isComplete))
})

test('a new rule has a key of its own and is not complete', () => {
  const drafts = addDraft(addDraft([], 'groups'), 'groups')
  assert.deepEqual(
    drafts.map((draft) => [draft.key, isComplete(draft)]),
    [
      [0, false],
      [1, false],
    ],
  )
})
