import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyEntity } from '../../api/kind-operations.ts'
import { isBuiltIn } from './built-in.ts'

const entity = (fields: object) => fields as AnyEntity

test('only the default domain and its project "system" are built in', () => {
  assert.ok(isBuiltIn('domains', entity({ id: 'default', name: 'Default' })))
  assert.ok(isBuiltIn('projects', entity({ id: '1', name: 'System', domain_id: 'default' })))
  assert.ok(!isBuiltIn('domains', entity({ id: '2', name: 'Default' })))
  assert.ok(!isBuiltIn('projects', entity({ id: 'default', name: 'system', domain_id: '2' })))
  assert.ok(!isBuiltIn('projects', entity({ id: '3', name: 'web', domain_id: 'default' })))
  assert.ok(!isBuiltIn('groups', entity({ id: '4', name: 'system', domain_id: 'default' })))
})
