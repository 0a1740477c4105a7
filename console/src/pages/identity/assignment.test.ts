import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toAssignment, toGrant } from './assignment.ts'

const role = { id: 'r1', name: 'project_owner' }
const research = { id: 'd1', name: 'Research' }

describe('a role assignment', () => {
  it('of a user in a project', () => {
    const assignment = toAssignment({
      role,
      user: { id: 'u1', name: 'ada', domain: research },
      scope: { project: { id: 'p1', name: 'genome', domain: research } },
      links: { assignment: 'http://m/v3/projects/p1/users/u1/roles/r1' },
    })
    assert.deepEqual(assignment.principal, { kind: 'user', id: 'u1', name: 'ada' })
    assert.deepEqual(assignment.scope, {
      kind: 'project',
      id: 'p1',
      name: 'genome',
      domain: 'Research',
    })
    assert.equal(assignment.through, undefined)
    assert.deepEqual(toGrant(assignment), {
      roleId: 'r1',
      principal: { kind: 'user', id: 'u1' },
      scope: { kind: 'project', id: 'p1' },
    })
  })

  it('granted through a group contains the group', () => {
    const { through } = toAssignment({
      role,
      user: { id: 'u1' },
      scope: { domain: { id: 'd1' } },
      links: {
        assignment: 'http://m/v3/domains/d1/groups/g1/roles/r1',
        membership: 'http://m/v3/groups/g1/users/u1',
      },
    })
    assert.equal(through, 'g1')
  })

  it('of a group in the system, without names', () => {
    const assignment = toAssignment({
      role: { id: 'r1' },
      group: { id: 'g1' },
      scope: { system: { all: true } },
      links: { assignment: 'http://m/v3/system/groups/g1/roles/r1' },
    })
    assert.deepEqual(assignment.principal, { kind: 'group', id: 'g1', name: 'g1' })
    assert.equal(assignment.role.name, 'r1')
    assert.deepEqual(toGrant(assignment).scope, { kind: 'system' })
  })
})
