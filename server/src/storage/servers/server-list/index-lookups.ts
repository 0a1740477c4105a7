import { sql } from 'kysely'
import { resourceFields, type Condition } from '../../../domain/inventory/condition.ts'
import type { ScopeOrNone } from '../../../domain/scope.ts'
import type { DatabaseReader } from '../../database.ts'
import { columnOf, isOwnerField } from '../field-columns.ts'
import { filterIndexes } from '../indexes.ts'
import { serverNumbers } from './side-table-numbers.ts'
import { allOf, amongWords, codeOf, type Sql } from '../../sql-parts.ts'
import type { Where } from './where.ts'

/**
 * A part of a filter whose matches can be read directly, by an index of the servers or by a list of
 * their numbers.
 */
export interface IndexLookup {
  readonly index: string | undefined
  readonly condition: Sql
  /** The query for the numbers, if they are in another table. */
  readonly list: Sql | undefined
}

function byIndex(column: string, condition: Sql): IndexLookup | undefined {
  // SQLite uses the unique index of the ids without a hint.
  if (column === 'id') return { index: undefined, condition, list: undefined }
  const index = filterIndexes[column]
  return index === undefined ? undefined : { index, condition, list: undefined }
}

const byList = (list: Sql): IndexLookup => ({
  index: undefined,
  condition: sql`seq in (${list})`,
  list,
})

/** Finds the index lookups of a query for live servers. */
export function createIndexLookups(engine: DatabaseReader['engine'], { where }: Where) {
  function indexLookupOf(condition: Condition): IndexLookup | undefined {
    switch (condition.kind) {
      case 'field': {
        const { field, comparison } = condition
        if (isOwnerField(field) || (comparison !== 'equals' && comparison !== 'in'))
          return undefined
        return byIndex(columnOf(field), where(condition))
      }
      case 'resource': {
        const { resource, values } = condition
        if (resource === 'project') return byIndex('project_id', where(condition))
        const [id] = resourceFields[resource]
        const named = sql`select id from server_places where place = ${resource} and ${amongWords(sql.ref('name'), values)}`
        const itself = sql`select code from words where word in (${sql.join(values)})`
        // Names change, so the ids that once had this name may match too many servers.
        const candidates = sql`${sql.ref(id)} in (${named} union ${itself})`
        return byIndex(id, allOf([candidates, where(condition)]))
      }
      case 'address':
        return byList(
          sql`select distinct server from (${serverNumbers(engine, condition)}) as listed`,
        )
      case 'tag':
      case 'network':
      case 'search':
        return byList(serverNumbers(engine, condition))
      case 'all':
      case 'any':
      case 'not':
        return undefined
    }
  }

  return {
    /** The index lookups among the parts of a conjunction. */
    of(condition: Condition): readonly IndexLookup[] {
      const parts = condition.kind === 'all' ? condition.conditions : [condition]
      return parts.map(indexLookupOf).filter((indexLookup) => indexLookup !== undefined)
    },
    /**
     * Tenant isolation: the condition on `project_id` or `domain_id` that every query for servers
     * has. Undefined for the whole system.
     */
    ofScope(scope: ScopeOrNone): IndexLookup | undefined {
      switch (scope.kind) {
        case 'project':
          return byIndex('project_id', sql`project_id = ${codeOf(scope.projectId)}`)
        case 'domain':
          return byIndex('domain_id', sql`domain_id = ${codeOf(scope.domainId)}`)
        case 'system':
          return undefined
        case 'none':
          return byIndex('project_id', sql`project_id = -1`)
      }
    },
  }
}
