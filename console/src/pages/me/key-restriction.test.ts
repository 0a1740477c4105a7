import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restrictableActions } from '@muster/contract'
import { keyRestriction } from '../../messages/en/key-restriction.ts'
import { describeRestriction, noRestriction, toRestriction } from './key-restriction.ts'

test('a form without a choice restricts nothing', () => {
  assert.equal(toRestriction(noRestriction, 'home'), undefined)
})

test('each field of the form is a part of the restriction', () => {
  assert.deepEqual(toRestriction({ ...noRestriction, extent: 'read_only' }, 'home'), {
    read_only: true,
  })
  // No action is refused by the API, which names the field.
  assert.deepEqual(toRestriction({ ...noRestriction, extent: 'actions' }, 'home'), { actions: [] })
  assert.deepEqual(
    toRestriction(
      { extent: 'actions', actions: ['start'], isOneProject: true, networks: ' ::1,10.0.0.0/8\n' },
      'home',
    ),
    { actions: ['start'], projects: ['home'], networks: ['::1', '10.0.0.0/8'] },
  )
})

test('a restriction is told in words', () => {
  const nameOf = (id: string) => `project ${id}`
  assert.deepEqual(describeRestriction(null, { keyRestriction }, nameOf), [])
  const nothing = { read_only: false, actions: null, projects: null, networks: null }
  assert.deepEqual(
    describeRestriction({ ...nothing, read_only: true }, { keyRestriction }, nameOf),
    ['Read only'],
  )
  assert.deepEqual(
    describeRestriction(
      { ...nothing, actions: ['start', 'stop'], projects: ['a'], networks: ['::1/128'] },
      { keyRestriction },
      nameOf,
    ),
    ['Only: start, stop', 'Projects: project a', 'From ::1/128'],
  )
})

test('every action has a name', () => {
  assert.deepEqual(Object.keys(keyRestriction.keyActions), [...restrictableActions])
})
