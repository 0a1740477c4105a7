import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operationOf, toAssignmentQuery } from './assignment-context.ts'

describe('the context of role assignments', () => {
  it('uses the parameter names of the API', () => {
    const query = (kind: Parameters<typeof toAssignmentQuery>[0]['kind']) =>
      toAssignmentQuery({ kind, id: 'x', name: 'X' })
    assert.deepEqual(query('project'), { 'scope.project.id': 'x' })
    assert.deepEqual(query('domain'), { 'scope.domain.id': 'x' })
    assert.deepEqual(query('user'), { 'user.id': 'x', effective: true })
    assert.deepEqual(query('group'), { 'group.id': 'x' })
    assert.deepEqual(query('role'), { 'role.id': 'x' })
  })

  it('names the operations that grant and revoke roles', () => {
    assert.equal(operationOf('grant', 'project', 'user'), 'grantProjectUserRole')
    assert.equal(operationOf('revoke', 'system', 'group'), 'revokeSystemGroupRole')
  })
})
