import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyThing } from '../../api/kind-operations.ts'
import { isBuiltIn } from './built-in.ts'

const thing = (fields: object) => fields as AnyThing

test('the default domain and its project "system" are built in, and nothing else', () => {
  assert.ok(isBuiltIn('domains', thing({ id: 'default', name: 'Default' })))
  assert.ok(isBuiltIn('projects', thing({ id: '1', name: 'System', domain_id: 'default' })))
  assert.ok(!isBuiltIn('domains', thing({ id: '2', name: 'Default' })))
  assert.ok(!isBuiltIn('projects', thing({ id: 'default', name: 'system', domain_id: '2' })))
  assert.ok(!isBuiltIn('projects', thing({ id: '3', name: 'web', domain_id: 'default' })))
  assert.ok(!isBuiltIn('groups', thing({ id: '4', name: 'system', domain_id: 'default' })))
})
