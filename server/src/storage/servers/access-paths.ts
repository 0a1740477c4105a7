import { sql } from 'kysely'
import type { Condition } from '../../domain/inventory/condition.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { columnOf, isOwnerField } from './field-columns.ts'
import { filterIndexes } from './indexes.ts'
import { serverList } from './server-lists.ts'
import { allOf, amongWords, codeOf, type Sql } from './sql-parts.ts'
import { placeColumns, type Where } from './where.ts'

/**
 * A part of a query that leads straight to the servers it is true of: by an index of the servers,
 * or by a list of their numbers.
 */
export interface AccessPath {
  readonly index: string | undefined
  readonly condition: Sql
  /** The numbers alone, where another table has them. */
  readonly list: Sql | undefined
}

function byIndex(column: string, condition: Sql): AccessPath | undefined {
  // The key of the ids is found without being told.
  if (column === 'id') return { index: undefined, condition, list: undefined }
  const index = filterIndexes[column]
  return index === undefined ? undefined : { index, condition, list: undefined }
}

const byList = (list: Sql): AccessPath => ({
  index: undefined,
  condition: sql`seq in (${list})`,
  list,
})

/** Finds the ways into a query about servers in use. */
export function createAccessPaths(engine: DatabaseReader['engine'], { where }: Where) {
  function accessPathOf(condition: Condition): AccessPath | undefined {
    switch (condition.kind) {
      case 'field': {
        const { field, comparison } = condition
        if (isOwnerField(field) || (comparison !== 'equals' && comparison !== 'in'))
          return undefined
        return byIndex(columnOf(field), where(condition))
      }
      case 'place': {
        const { place, values } = condition
        if (place === 'project') return byIndex('project_id', where(condition))
        const [id] = placeColumns[place]
        const named = sql`select id from server_places where place = ${place} and ${amongWords(sql.ref('name'), values)}`
        const itself = sql`select code from words where word in (${sql.join(values)})`
        // Names change, so the ids that ever went with one may lead to too many.
        const candidates = sql`${sql.ref(id)} in (${named} union ${itself})`
        return byIndex(id, allOf([candidates, where(condition)]))
      }
      case 'address':
        return byList(sql`select distinct server from (${serverList(engine, condition)}) as listed`)
      case 'tag':
      case 'search':
        return byList(serverList(engine, condition))
      case 'all':
      case 'any':
      case 'not':
        return undefined
    }
  }

  return {
    /** Of the parts that must all hold, those that lead somewhere. */
    of(condition: Condition): readonly AccessPath[] {
      const parts = condition.kind === 'all' ? condition.conditions : [condition]
      return parts.map(accessPathOf).filter((accessPath) => accessPath !== undefined)
    },
    /** The way to what a scope has, where it has not everything. */
    ofScope(scope: ScopeOrNone): AccessPath | undefined {
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
