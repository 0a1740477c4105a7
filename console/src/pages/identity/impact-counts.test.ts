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
  service_accounts: 2,
  tokens: 9,
}

describe('impact counts', () => {
  it('disabling an entity ends its tokens', () => {
    assert.deepEqual(impactCounts(impact, 'disable'), [
      ['service_accounts', 2],
      ['tokens', 9],
    ])
  })

  it('deleting an entity affects everything in it except servers', () => {
    assert.deepEqual(impactCounts(impact, 'delete'), [
      ['users', 4],
      ['assignments', 7],
      ['access_keys', 2],
      ['default_projects', 1],
      ['service_accounts', 2],
      ['tokens', 9],
    ])
  })
})
