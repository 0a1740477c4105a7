import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Compute } from './compute.ts'
import { forgetOthers } from './regions.ts'

test('details and names of projects and regions that are no longer read are dropped', () => {
  const plan = (region: string, projectId: string, seesAllProjects = false) => ({
    key: `${region} ${projectId}`,
    projectId,
    site: { cloud: 'c', region },
    compute: { seesAllProjects } as Compute,
  })
  const session = {
    lookups: new Map(['a p1', 'a p2', 'b p1'].map((key) => [key, new Map()])),
    plans: new Map([
      ['a', [plan('a', 'p1')]],
      ['b', [plan('b', 'p1')]],
    ]),
    projectNames: new Map(['p1', 'p2'].map((id) => [id, id])),
  }
  forgetOthers(session, ['a'])
  assert.deepEqual([...session.lookups.keys()], ['a p1'])
  assert.deepEqual([...session.plans.keys()], ['a'])
  assert.deepEqual([...session.projectNames.keys()], ['p1'])
  // An administrator sees servers of all projects.
  session.plans.set('a', [plan('a', 'admin', true)])
  forgetOthers(session, ['a'])
  assert.deepEqual([...session.projectNames.keys()], ['p1'])
})
