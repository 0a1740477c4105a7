import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  administeredResources,
  inventoryResources,
  type Resource,
} from '@muster/contract/resources'
import { describeResources } from './describe-resources.ts'

test('the descriptions in the console have what its pages read', async () => {
  const { resolveId, load } = describeResources() as unknown as {
    readonly resolveId: (id: string) => string
    readonly load: (id: string) => string
  }
  const code = load(resolveId('@muster/contract/resources'))
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    inventoryResources: Record<string, Resource>
    administeredResources: Record<string, Resource>
  }
  const built = { ...module.inventoryResources, ...module.administeredResources }
  const unread = new Set(['one', 'many', 'tag', 'example', 'uniqueName'])
  for (const [name, resource] of Object.entries({
    ...inventoryResources,
    ...administeredResources,
  })) {
    const { fields, ...rest }: Resource = resource
    const others = Object.fromEntries(Object.entries(rest).filter(([key]) => !unread.has(key)))
    const { fields: builtFields, ...builtOthers } = built[name] as Resource
    assert.deepEqual(builtOthers, JSON.parse(JSON.stringify(others)), name)
    const used = (described: Resource['fields']) =>
      Object.entries(described).map(([field, { type, uses }]) => [
        field,
        type,
        uses.filter((use) => use === 'filter' || use === 'sort'),
      ])
    assert.deepEqual(used(builtFields), used(fields), name)
  }
})
