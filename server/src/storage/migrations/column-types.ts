import { sql, type CreateTableBuilder } from 'kysely'

/** Columns that many tables share. */

export const withId = <Name extends string>(table: CreateTableBuilder<Name>) =>
  table.addColumn('id', 'text', (column) => column.primaryKey())

/** A name, and the folded form that must be unique. */
export const withName = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
) =>
  table
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())

export const withOwner = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
) =>
  table.addColumn('domain_id', 'text', (column) =>
    column.notNull().references('domains.id').onDelete('cascade'),
  )

export const withEnabled = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
) =>
  table.addColumn('enabled', 'integer', (column) => column.notNull().check(sql`enabled in (0, 1)`))

export const withText = <Name extends string, Columns extends string, Column extends string>(
  table: CreateTableBuilder<Name, Columns>,
  column: Column,
) => table.addColumn(column, 'text', (definition) => definition.notNull().defaultTo(''))

export const withCreatedAt = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
) => table.addColumn('created_at', 'bigint', (column) => column.notNull())

/** A foreign key with `on delete cascade`. */
export const withReference = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
  column: string,
  target: `${string}.id`,
) =>
  table.addColumn(column, 'text', (definition) => definition.references(target).onDelete('cascade'))
