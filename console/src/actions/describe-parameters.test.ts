import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../messages/en/index.ts'
import { createFormat } from '../messages/format.ts'
import { describeParameters } from './describe-parameters.ts'

test('the parameters of an action are in words and units', () => {
  const parameters = { vmem_size: 8192, vcpu_count: 4, force_stop: true, other: 'x' }
  assert.deepEqual(describeParameters(en, createFormat('en'), parameters), [
    ['Memory', '8 GB'],
    ['vCPU', '4'],
    ['Stop the server for the change, and start it again', 'Yes'],
    ['other', 'x'],
  ])
})
