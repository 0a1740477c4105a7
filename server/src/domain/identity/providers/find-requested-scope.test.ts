import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registry, ResourceQuery } from '../administration/registry.ts'
import type { RequestedScope } from '../token-scope.ts'
import { createFindRequestedScope } from './find-requested-scope.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly domain_id?: string
  readonly enabled: boolean
}

const domains: readonly Row[] = [
  { id: 'home', name: 'Home', enabled: true },
  { id: 'away', name: 'Away', enabled: true },
  { id: 'shut', name: 'Shut', enabled: false },
]
const projects: readonly Row[] = [
  { id: 'web', name: 'Web', domain_id: 'home', enabled: true },
  { id: 'web-away', name: 'Web', domain_id: 'away', enabled: true },
  { id: 'closed', name: 'Closed', domain_id: 'home', enabled: false },
  { id: 'inside', name: 'Inside', domain_id: 'shut', enabled: true },
]

const isEqual = (one: unknown, other: unknown) =>
  String(one).toLowerCase() === String(other).toLowerCase()

function rowsMatching({ where }: ResourceQuery, rows: readonly Row[]): readonly Row[] {
  const conditions = where?.kind === 'all' ? where.conditions : [where]
  return rows.filter((row) =>
    conditions.every((condition) => {
      assert.ok(condition?.kind === 'field')
      return isEqual(row[condition.field as keyof Row], condition.values[0])
    }),
  )
}

const rowsOf = (kind: string) => (kind === 'domains' ? domains : projects)
const find = createFindRequestedScope({
  find: async (kind: string, id: string) => rowsOf(kind).find((row) => row.id === id),
  list: async (kind: string, _scope: unknown, query: ResourceQuery) => ({
    items: rowsMatching(query, rowsOf(kind)),
  }),
} as unknown as Registry)

interface Reference {
  readonly id?: string
  readonly name?: string
}

const fits = ({ id, name }: Reference, row: Row | undefined) =>
  row !== undefined &&
  (id === undefined || id === row.id) &&
  (name === undefined || isEqual(name, row.name))

const domainOf = (project: Row) => domains.find(({ id }) => id === project.domain_id)

/** All references to a row, right and wrong ones. */
function referencesTo(rows: readonly Row[]): readonly Reference[] {
  const ids = [undefined, 'none', ...rows.map(({ id }) => id)]
  const names = [undefined, 'none', 'WEB', ...rows.map(({ name }) => name)]
  return ids
    .flatMap((id) => names.map((name) => ({ ...(id && { id }), ...(name && { name }) })))
    .filter((reference) => Object.keys(reference).length > 0)
}

test('a domain must be enabled, and match its id and name', async () => {
  for (const domain of referencesTo(domains)) {
    const match = domains.find((row) => fits(domain, row) && row.enabled)
    assert.deepEqual(
      await find({ kind: 'domain', domain }),
      match && { kind: 'domain', domainId: match.id },
      JSON.stringify(domain),
    )
  }
})

test('a project and its domain must be enabled, and match all that is given', async () => {
  for (const reference of referencesTo(projects)) {
    for (const domain of [undefined, ...referencesTo(domains)]) {
      const requested: Extract<RequestedScope, { kind: 'project' }> = {
        kind: 'project',
        project: { ...reference, ...(domain && { domain }) },
      }
      // A name alone names no project here.
      const isComplete = reference.id !== undefined || domain !== undefined
      const match = projects.find(
        (row) =>
          isComplete &&
          fits(reference, row) &&
          (!domain || fits(domain, domainOf(row))) &&
          row.enabled &&
          domainOf(row)?.enabled,
      )
      assert.deepEqual(
        await find(requested),
        match && { kind: 'project', projectId: match.id, domainId: match.domain_id },
        JSON.stringify(requested),
      )
    }
  }
})
