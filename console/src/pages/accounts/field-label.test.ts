import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fieldLabel } from './field-label.ts'

it('a field of a provider has a readable name', () => {
  assert.equal(fieldLabel('access_key_id', {}), 'Access key ID')
  assert.equal(fieldLabel('ca', {}), 'CA')
  assert.equal(fieldLabel('regions', { regions: '区域' }), '区域')
  assert.equal(fieldLabel('constructor', {}), 'Constructor')
})
