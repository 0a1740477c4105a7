import { sql } from 'kysely'
import {
  resourceFields,
  type Condition,
  type NamedResource,
  type Field,
} from '../../../domain/inventory/condition.ts'
import { enumerated } from '../../../domain/inventory/fields.ts'
import type { Owner } from '../../../domain/inventory/ports.ts'
import { matchesText } from '../../../domain/query/text-match.ts'
import type { DatabaseReader } from '../../database.ts'
import {
  columnOf,
  columns,
  isOwnerField,
  storageClassOf,
  ownerFields,
  type Column,
} from '../field-columns.ts'
import { createCompareColumn, type ComparedColumn } from './compare-column.ts'
import { hasText, isSideCondition, type SideCondition } from './side-table-numbers.ts'
import {
  allOf,
  amongManyWords,
  amongWords,
  anyOf,
  byCodePoint,
  codeOf,
  type Sql,
} from '../../sql-parts.ts'
import { readTagKey } from '../tags.ts'

type FieldCondition = Extract<Condition, { kind: 'field' }>

/** The engine and the current names of owners. */
export interface Setting {
  readonly engine: DatabaseReader['engine']
  readonly owners: ReadonlyMap<string, Owner>
  /**
   * How a full scan checks a condition on a side table: `rows` are the matching rows of one server,
   * of which there must be some or none. Without it they are looked up for each candidate.
   */
  readonly inFullScan?:
    | ((condition: SideCondition, rows: Sql, wanted: 'some' | 'none') => Sql)
    | undefined
}

/** The columns of servers, as comparisons need them. */
const comparedColumns = Object.fromEntries(
  columns.map((name) => [
    name,
    { name, storageClass: storageClassOf(name), isEnumerated: enumerated.has(name) },
  ]),
) as Readonly<Record<Column, ComparedColumn>>

/** Builds the SQL of a condition, and lists the columns that it reads. */
export function createWhere({ engine, owners, inFullScan }: Setting) {
  const compareColumn = createCompareColumn(engine)
  // Makes SQLite use the primary key, which starts with the server, instead of the index by value.
  const checked = sql.raw(engine === 'sqlite' ? '+' : '')

  /** Owner names are compared in memory, because there are few. */
  function comparingOwners({ field, comparison, values }: FieldCondition): Sql {
    const { id, name } = ownerFields[field as keyof typeof ownerFields]
    const matches = (text: string) => matchesText(text, comparison, values as readonly string[])
    const ids = [...owners.values()].filter((owner) => matches(owner[name]))
    const named = amongManyWords(
      engine,
      sql.ref(id),
      ids.map(({ projectId }) => projectId),
    )
    if (!matches('')) return named
    // A server without an owner, or with a deleted one, has an empty name.
    return anyOf([named, sql`not ${amongManyWords(engine, sql.ref(id), [...owners.keys()])}`])
  }

  const columnsOf = (field: Field): readonly string[] => {
    if (isOwnerField(field)) return [ownerFields[field].id]
    const column = columnOf(field)
    return storageClassOf(column) === 'text' ? [column, `${column}_folded`] : [column]
  }

  const ownerIds = (values: readonly string[]) =>
    [...owners.values()]
      .filter(({ projectId, project }) => values.includes(projectId) || values.includes(project))
      .map(({ projectId }) => projectId)

  function comparingResource(resource: NamedResource, values: readonly string[]): Sql {
    if (resource === 'project')
      return amongWords(sql.ref('project_id'), [...ownerIds(values), ...values])
    const [id, name] = resourceFields[resource]
    return anyOf([amongWords(sql.ref(id), values), amongWords(sql.ref(name), values)])
  }

  /** The matching rows of one server, by the primary key of the side table. */
  function rowsOf(condition: SideCondition): Sql {
    switch (condition.kind) {
      case 'search':
        return sql`select 1 from server_texts where server = servers.seq and ${hasText(engine, condition.text)}`
      case 'tag': {
        const { origins, bare } = readTagKey(condition.key)
        const valued =
          condition.value === undefined
            ? sql``
            : sql` and ${checked}value = ${codeOf(condition.value)}`
        return sql`select 1 from server_tags where server = servers.seq and key = ${codeOf(bare)} and origin in (${sql.join(origins)})${valued}`
      }
      case 'address':
        return sql`select 1 from server_addresses where server = servers.seq and ${byCodePoint(engine, sql.ref('address'))} between ${condition.first} and ${condition.last}`
      case 'network':
        return sql`select 1 from server_networks where server = servers.seq and ${checked}network = ${codeOf(condition.id)}`
    }
  }

  /** PostgreSQL would turn `exists` into a join, possibly a nested loop over all rows. */
  const lookUp = (rows: Sql): Sql =>
    engine === 'postgres' ? sql`(${rows} limit 1) is not null` : sql`exists (${rows})`

  /** PostgreSQL estimates `is null` as rare and would sort all servers for each page. */
  const lookUpNone = (rows: Sql): Sql =>
    engine === 'postgres' ? sql`coalesce((${rows} limit 1), 0) <> 1` : sql`not ${lookUp(rows)}`

  function where(condition: Condition): Sql {
    switch (condition.kind) {
      case 'field':
        return isOwnerField(condition.field)
          ? comparingOwners(condition)
          : compareColumn(
              comparedColumns[columnOf(condition.field)],
              condition.comparison,
              condition.values,
            )
      case 'resource':
        return comparingResource(condition.resource, condition.values)
      case 'search':
      case 'tag':
      case 'address':
      case 'network':
        return inFullScan
          ? inFullScan(condition, rowsOf(condition), 'some')
          : lookUp(rowsOf(condition))
      case 'all':
        return allOf(condition.conditions.map(where))
      case 'any':
        return anyOf(condition.conditions.map(where))
      case 'not':
        if (isSideCondition(condition.condition)) {
          const rows = rowsOf(condition.condition)
          return inFullScan ? inFullScan(condition.condition, rows, 'none') : lookUpNone(rows)
        }
        // NULL never matches a filter, so it always matches the negated one.
        return sql`not coalesce(${where(condition.condition)}, false)`
    }
  }

  function columnsIn(condition: Condition): readonly string[] {
    switch (condition.kind) {
      case 'field':
        return columnsOf(condition.field)
      case 'resource':
        return condition.resource === 'project'
          ? ['project_id']
          : resourceFields[condition.resource]
      case 'all':
      case 'any':
        return condition.conditions.flatMap(columnsIn)
      case 'not':
        return columnsIn(condition.condition)
      case 'search':
      case 'tag':
      case 'address':
      case 'network':
        return []
    }
  }

  /** Whether a condition reads other tables than `servers`. */
  function usesSideTables(condition: Condition): boolean {
    if (condition.kind === 'not') return usesSideTables(condition.condition)
    if ('conditions' in condition) return condition.conditions.some(usesSideTables)
    return isSideCondition(condition)
  }

  return { where, columnsIn, usesSideTables }
}
export type Where = ReturnType<typeof createWhere>
