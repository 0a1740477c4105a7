import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillPath, renderQuery } from './address.ts'

describe('addresses', () => {
  test('encode their parameters', () => {
    assert.equal(
      fillPath('/v3/projects/{id}/users/{user_id}', { id: 'a/b?c#d', user_id: '100% ü' }),
      '/v3/projects/a%2Fb%3Fc%23d/users/100%25%20%C3%BC',
    )
  })

  test('refuse a parameter that would change the path', () => {
    for (const id of ['', '.', '..']) {
      assert.throws(() => fillPath('/servers/{id}', { id }), TypeError)
    }
    assert.throws(() => fillPath('/servers/{id}', {}), TypeError)
  })

  test('repeat arrays, number nested values and omit undefined ones', () => {
    assert.equal(
      renderQuery({
        status: ['running', 'ready'],
        limit: 0,
        details: false,
        q: 'a b&c',
        gone: undefined,
      }),
      '?status=running&status=ready&limit=0&details=false&q=a+b%26c',
    )
    assert.equal(
      renderQuery({ obj_tags: [[{ key: 'env', value: 'prod' }]] }),
      '?obj_tags.0.0.key=env&obj_tags.0.0.value=prod',
    )
    assert.equal(renderQuery({ gone: undefined, none: [] }), '')
  })
})
