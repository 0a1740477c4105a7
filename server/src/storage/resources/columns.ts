import type { FieldType, Resource } from '@muster/contract'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import { fold } from '../../domain/query/fold.ts'
import { microsecondsOf } from '../../domain/query/parse-timestamp.ts'
import { timestampOfMicroseconds } from '../../domain/timestamp.ts'
import type { Row } from '../database.ts'
import type { Cell } from '../sql-parts.ts'

export interface ResourceColumn {
  readonly name: string
  readonly storageClass: 'text' | 'number' | 'boolean' | 'timestamp'
  readonly isEnumerated: boolean
}

export interface ReadColumn extends ResourceColumn {
  /** The column of the parent server that has it. */
  readonly ofServer: string | undefined
}

const classOf = (type: FieldType): ResourceColumn['storageClass'] =>
  type === 'enum' || type === 'object' ? 'text' : type

/** The fields that can be filtered by, and so are read from the database. The others are computed. */
export const readColumnsOf = ({ fields }: Resource): readonly ReadColumn[] =>
  Object.entries(fields)
    .filter(([, { uses }]) => uses.includes('filter'))
    .map(([name, { type, ofServer }]) => ({
      name,
      storageClass: classOf(type),
      isEnumerated: type === 'enum',
      ofServer,
    }))

/** The columns of the table of a resource. */
export const columnsOf = (resource: Resource): readonly ResourceColumn[] =>
  readColumnsOf(resource).filter(({ ofServer }) => ofServer === undefined)

const isText = ({ storageClass }: ResourceColumn) => storageClass === 'text'

/** The names of all columns of the table, in the order of the cells of a row. */
export const columnNames = (columns: readonly ResourceColumn[]): readonly string[] => [
  ...columns.map(({ name }) => name),
  ...columns.filter(isText).map(({ name }) => `${name}_folded`),
]

function cellOf(value: unknown, { storageClass }: ResourceColumn): Cell {
  if (storageClass === 'boolean') return value === true ? 1 : 0
  if (storageClass === 'timestamp') return typeof value === 'string' ? microsecondsOf(value) : null
  return value as string | number
}

function foldedCell(text: string): Cell {
  const folded = fold(text)
  return folded === text ? null : folded
}

export const toRow = (columns: readonly ResourceColumn[], object: ResourceObject): Cell[] => [
  ...columns.map((column) => cellOf(object[column.name], column)),
  ...columns.filter(isText).map(({ name }) => foldedCell(String(object[name]))),
]

function valueOf(cell: unknown, { storageClass }: ResourceColumn): unknown {
  switch (storageClass) {
    case 'boolean':
      return cell === 1
    case 'number':
      return Number(cell)
    case 'timestamp':
      return cell === null ? null : timestampOfMicroseconds(Number(cell))
    case 'text':
      return cell
  }
}

export const toObject = (columns: readonly ResourceColumn[], row: Row): ResourceObject => ({
  id: String(row['id']),
  ...Object.fromEntries(columns.map((column) => [column.name, valueOf(row[column.name], column)])),
})
