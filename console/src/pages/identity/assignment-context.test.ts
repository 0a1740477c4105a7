import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operationOf, toAssignmentQuery } from './assignment-context.ts'

describe('whose assignments are looked at', () => {
  it('is asked as the API names it', () => {
    const query = (kind: Parameters<typeof toAssignmentQuery>[0]['kind']) =>
      toAssignmentQuery({ kind, id: 'x', name: 'X' })
    assert.deepEqual(query('project'), { 'scope.project.id': 'x' })
    assert.deepEqual(query('domain'), { 'scope.domain.id': 'x' })
    assert.deepEqual(query('user'), { 'user.id': 'x', effective: true })
    assert.deepEqual(query('group'), { 'group.id': 'x' })
    assert.deepEqual(query('role'), { 'role.id': 'x' })
  })

  it('knows the operation that changes them', () => {
    assert.equal(operationOf('grant', 'project', 'user'), 'grantProjectUserRole')
    assert.equal(operationOf('revoke', 'system', 'group'), 'revokeSystemGroupRole')
  })
})
