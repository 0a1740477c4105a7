import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireAuthorizedScope } from './authorized-scope.ts'
import type { Principal } from './principal.ts'

const need = { service: 'compute', resource: 'servers', action: 'list' } as const

const principal = (kind: string) =>
  ({
    scope: kind === 'project' ? { kind, project: { id: 'p', domain: { id: 'd' } } } : { kind },
    policies: { system: [], domain: [], project: [] },
    token: { userId: 'me' },
  }) as unknown as Principal

const refusal = (kind: string) => {
  try {
    requireAuthorizedScope(principal(kind), { ...need, at: ['system', 'domain', 'project'] })
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('a refusal names the permission, or tells that the token has no scope', () => {
  assert.match(refusal('project'), /list.*servers|servers.*list/)
  assert.doesNotMatch(refusal('none'), /servers/)
  assert.match(refusal('none'), /scope|project/)
})

test('somebody may always act on what is their own', () => {
  const { scope, self } = requireAuthorizedScope(principal('none'), { ...need, at: ['self'] })
  assert.deepEqual([scope.kind, self], ['none', 'me'])
})
