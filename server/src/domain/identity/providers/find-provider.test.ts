import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { queryFieldsByKind } from '../administration/query-fields.ts'
import type { Registry, ResourceQuery } from '../administration/registry.ts'
import { listInMemory } from '../../query/evaluate.ts'
import { createFindProvider } from './find-provider.ts'

const rows = [
  { id: 'campus', name: 'a', driver: 'cas', enabled: true, domain_id: 'a' },
  { id: 'library', name: 'b', driver: 'cas', enabled: false, domain_id: 'a' },
  { id: 'staff', name: 'c', driver: 'another', enabled: true, domain_id: 'a' },
]

/** A registry with these providers, which applies filters as the storage does. */
const list = async (_kind: string, _scope: unknown, query: ResourceQuery) =>
  listInMemory(queryFieldsByKind.identity_providers, query, rows)
const findProvider = createFindProvider({ list } as unknown as Registry)
const find = async (driver: string, id?: string) =>
  (await findProvider(driver, { kind: 'default' }, id))?.id

describe('the provider of a login', () => {
  test('is the only enabled one of its driver', async () => {
    assert.equal(await find('cas'), 'campus')
    assert.equal(await find('another'), 'staff')
    assert.equal(await find('none such'), undefined)
  })

  test('is never one of another driver or a disabled one, even if the request names it', async () => {
    assert.equal(await find('cas', 'campus'), 'campus')
    assert.equal(await find('cas', 'staff'), undefined)
    assert.equal(await find('cas', 'library'), undefined)
  })
})
