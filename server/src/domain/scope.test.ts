import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, includes, scopeIdOf, type ScopeOrNone } from './scope.ts'

const owners = ['a1', 'a2', 'b1'].map((projectId) => ({ projectId, domainId: projectId.charAt(0) }))
const scopes: readonly ScopeOrNone[] = [
  { kind: 'system' },
  { kind: 'domain', domainId: 'a' },
  { kind: 'domain', domainId: 'b' },
  ...owners.map((owner) => ({ kind: 'project', ...owner }) as const),
  { kind: 'none' },
]

/** The projects of a scope. The system also has those that do not exist yet. */
const projectsIn = (scope: ScopeOrNone) =>
  owners.map(({ projectId }) => projectId).filter((id) => id.startsWith(scopeIdOf(scope) ?? id))

for (const scope of scopes) {
  test(`the scope ${JSON.stringify(scope)} has what is within it, and nothing else`, () => {
    const own = scope.kind === 'none' ? [] : projectsIn(scope)
    const covered = owners.filter((owner) => covers(scope, owner))
    assert.deepEqual(
      covered.map(({ projectId }) => projectId),
      own,
    )
    for (const other of scopes) {
      const isWithin =
        other.kind === 'project'
          ? own.includes(other.projectId)
          : other.kind === 'domain' && scope.kind === 'domain' && scope.domainId === other.domainId
      const expected = scope.kind === 'system' || isWithin
      assert.equal(includes(scope, other), expected, JSON.stringify(other))
    }
  })
}
