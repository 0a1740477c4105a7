import {
  administeredResources,
  inventoryResources,
  type Resource,
} from '@muster/contract/resources'
import type { Plugin } from 'vite'

const wanted = '@muster/contract/resources'
const replaced = '\0resources'

/** What the console never reads. */
const unused = new Set([
  'schema',
  'description',
  'default',
  'one',
  'many',
  'tag',
  'example',
  'uniqueName',
  'fromServer',
])
const unusedUses = new Set<unknown>(['count', 'search', 'short'])

const read = (key: string, value: unknown): unknown => {
  if (unused.has(key)) return undefined
  return key === 'uses' && Array.isArray(value)
    ? value.filter((use) => !unusedUses.has(use))
    : value
}

/**
 * Evaluates the descriptions of resources when the console is built. The scripts contain neither the
 * schemas of the API, nor its texts, nor the library that they are made with.
 */
export const describeResources = (): Plugin => ({
  name: 'describe-resources',
  enforce: 'pre',
  resolveId: (id) => (id === wanted ? replaced : undefined),
  load(id) {
    if (id !== replaced) return undefined
    return [
      describe('inventoryResources', inventoryResources),
      describe('administeredResources', administeredResources),
    ].join('\n')
  },
})

function describe(name: string, resources: Readonly<Record<string, Resource>>): string {
  const json = (value: unknown) => JSON.stringify(value, read)
  const described = Object.entries(resources).map(([kind, { fields, ...others }]) => {
    // A field of a resource can have any name.
    const kept = Object.entries(fields).map(([field, each]) => `${json(field)}:${json(each)}`)
    return `${kind}: {...${json(others)}, fields: {${kept.join()}}}`
  })
  return `export const ${name} = {${described.join()}}`
}
