import { sql } from 'kysely'
import type { Condition, NamedResource } from '../../domain/inventory/condition.ts'
import type { Field } from '../../domain/inventory/fields.ts'
import type { Owner } from '../../domain/inventory/ports.ts'
import type { DatabaseReader } from '../database.ts'
import {
  columnOf,
  isOwnerField,
  storageClassOf,
  ownerFields,
  type Column,
} from './field-columns.ts'
import { createCompareColumn } from './compare.ts'
import { hasText, isSideCondition, type SideCondition } from './server-lists.ts'
import {
  allOf,
  amongManyWords,
  amongWords,
  anyOf,
  byCodePoint,
  codeOf,
  type Sql,
} from './sql-parts.ts'
import { readTagKey } from './tags.ts'
import { matchesText } from './text-match.ts'

type FieldCondition = Extract<Condition, { kind: 'field' }>

/** What conditions are made for: an engine, and the names that owners have now. */
export interface Setting {
  readonly engine: DatabaseReader['engine']
  readonly owners: ReadonlyMap<string, Owner>
  /**
   * How a condition on another table is checked in a pass over all servers: `rows` are those of one
   * server, of which there must be some, or none. Without it they are looked up for each candidate.
   */
  readonly inFullScan?:
    | ((condition: SideCondition, rows: Sql, wanted: 'some' | 'none') => Sql)
    | undefined
}

/** The places' columns: their id, and their name. */
export const placeColumns = {
  host: ['host_id', 'host'],
  zone: ['zone_id', 'zone'],
  region: ['cloudregion_id', 'region'],
  account: ['account_id', 'account'],
  manager: ['manager_id', 'manager'],
} as const satisfies Record<Exclude<NamedResource, 'project'>, readonly [Column, Column]>

/** What a condition says of a server, in the words of both engines, and the columns it looks at. */
export function createWhere({ engine, owners, inFullScan }: Setting) {
  const compareColumn = createCompareColumn(engine)
  // Keeps SQLite from reading all servers with a value for each server: the primary key leads by server.
  const checked = sql.raw(engine === 'sqlite' ? '+' : '')

  /** Names that identity keeps are looked at here: there are few, and they are known. */
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
    // Who has no such owner, or one that is gone, has no name for it.
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

  function comparingPlace(place: NamedResource, values: readonly string[]): Sql {
    if (place === 'project')
      return amongWords(sql.ref('project_id'), [...ownerIds(values), ...values])
    const [id, name] = placeColumns[place]
    return anyOf([amongWords(sql.ref(id), values), amongWords(sql.ref(name), values)])
  }

  /** The rows of one server that meet a condition, by the primary keys of the tables: they lead by server. */
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
    }
  }

  /** PostgreSQL would join an `exists`, and may take a nested loop over all rows for it. */
  const lookUp = (rows: Sql): Sql =>
    engine === 'postgres' ? sql`(${rows} limit 1) is not null` : sql`exists (${rows})`

  /** PostgreSQL takes `is null` for rare, and would sort all servers for each page. */
  const lookUpNone = (rows: Sql): Sql =>
    engine === 'postgres' ? sql`coalesce((${rows} limit 1), 0) <> 1` : sql`not ${lookUp(rows)}`

  function where(condition: Condition): Sql {
    switch (condition.kind) {
      case 'field':
        return isOwnerField(condition.field)
          ? comparingOwners(condition)
          : compareColumn(columnOf(condition.field), condition.comparison, condition.values)
      case 'place':
        return comparingPlace(condition.place, condition.values)
      case 'search':
      case 'tag':
      case 'address':
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
      case 'place':
        return condition.place === 'project' ? ['project_id'] : placeColumns[condition.place]
      case 'all':
      case 'any':
        return condition.conditions.flatMap(columnsIn)
      case 'not':
        return columnsIn(condition.condition)
      case 'search':
      case 'tag':
      case 'address':
        return []
    }
  }

  /** Whether it takes other tables than that of the servers to check a condition. */
  function usesSideTables(condition: Condition): boolean {
    if (condition.kind === 'not') return usesSideTables(condition.condition)
    if ('conditions' in condition) return condition.conditions.some(usesSideTables)
    return isSideCondition(condition)
  }

  return { where, columnsIn, usesSideTables }
}
export type Where = ReturnType<typeof createWhere>
