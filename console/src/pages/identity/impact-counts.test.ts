import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { impactCounts } from './impact-counts.ts'

const impact = {
  projects: 0,
  servers: 3,
  users: 4,
  groups: 0,
  assignments: 7,
  access_keys: 2,
  identity_providers: 0,
  default_projects: 1,
  tokens: 9,
}

describe('what hangs on an entity', () => {
  it('ends tokens where it is disabled', () => {
    assert.deepEqual(impactCounts(impact, 'disable'), [['tokens', 9]])
  })

  it('takes along what there is where it is deleted, but no servers', () => {
    assert.deepEqual(impactCounts(impact, 'delete'), [
      ['users', 4],
      ['assignments', 7],
      ['access_keys', 2],
      ['default_projects', 1],
      ['tokens', 9],
    ])
  })
})
