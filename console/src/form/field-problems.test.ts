import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '@muster/sdk'
import { isShownByFields, problemsOf } from './field-problems.ts'

const refused = (...paths: string[]) =>
  new ApiError({
    class: 'InputParameterError',
    status: 400,
    details: 'No.',
    requestId: 'req-1',
    fields: paths.map((path) => ({ path, problem: 'is not right' })),
  })

describe('API field errors', () => {
  it('are assigned to their field', () => {
    const error = refused('policy.name', 'policy.rules.0.resource', 'user.name')
    assert.deepEqual(problemsOf(error, 'policy'), {
      name: 'is not right',
      'rules.0.resource': 'is not right',
    })
  })

  it('are assigned to the control that contains the path; the first error wins', () => {
    const error = new ApiError({
      class: 'InputParameterError',
      status: 400,
      details: 'No.',
      requestId: 'req-1',
      fields: [
        { path: 'account.options.regions.3', problem: 'must be a string' },
        { path: 'account.options.regions', problem: 'is too long' },
        { path: 'account', problem: 'is wrong' },
      ],
    })
    assert.deepEqual(problemsOf(error, 'account', 2), { 'options.regions': 'must be a string' })
  })

  it('are covered by the fields if all are shown', () => {
    assert.equal(isShownByFields(refused('user.name'), 'user', ['name']), true)
    assert.equal(isShownByFields(refused('policy.rules.0.action'), 'policy', ['rules']), true)
    assert.equal(isShownByFields(refused('user.name', 'user.email'), 'user', ['name']), false)
    assert.equal(isShownByFields(refused('user.names'), 'user', ['name']), false)
  })

  it('are not covered if no field is named', () => {
    assert.equal(isShownByFields(refused(), 'user', ['name']), false)
    assert.equal(isShownByFields(new Error('broken'), 'user', ['name']), false)
    assert.deepEqual(problemsOf(new Error('broken'), 'user'), {})
  })
})
