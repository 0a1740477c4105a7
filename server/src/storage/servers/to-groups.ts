import type { Owners } from '../../domain/inventory/owners.ts'
import type { GroupValue, Sum } from '../../domain/inventory/ports.ts'
import type { Grouping } from '../../domain/inventory/server-list/server-query.ts'
import { plus } from '../../domain/inventory/sums.ts'
import { compareText } from '../../domain/query/text-match.ts'
import type { Row } from '../database.ts'
import {
  columnOf,
  isOwnerField,
  ownerFields,
  storageClassOf,
  type OwnerField,
} from './field-columns.ts'
import { timestampOfMicroseconds } from '../../domain/timestamp.ts'
import { toSum } from './sums.ts'

type Group = Sum & { readonly value: GroupValue }

/** A value as the API shows it. */
function valueOf(value: unknown, grouping: Grouping): GroupValue {
  if ('metadataKey' in grouping) return value as string | null
  if (isOwnerField(grouping.field)) return String(value)
  switch (storageClassOf(columnOf(grouping.field))) {
    case 'boolean':
      return Number(value) === 1
    case 'number':
      return Number(value)
    case 'timestamp':
      return value === null ? null : timestampOfMicroseconds(Number(value))
    case 'dictionary':
    case 'text':
    case 'lowercase':
      return String(value)
  }
}

/** Turns rows of statistics into groups as the API shows them. */
export function createToGroups(owners: Owners) {
  async function nameOwners(groups: readonly Group[], field: OwnerField): Promise<Group[]> {
    const known = await owners.byProject()
    const { name } = ownerFields[field]
    const merged = new Map<string, Group>()
    for (const group of groups) {
      const value = known.get(String(group.value))?.[name] ?? ''
      const before = merged.get(value)
      merged.set(value, { ...(before ? plus(before, group) : group), value })
    }
    return [...merged.values()]
  }

  /** The most frequent first. */
  return async function toGroups(rows: readonly Row[], grouping: Grouping): Promise<Group[]> {
    const groups = rows.map((row) => ({ value: valueOf(row['value'], grouping), ...toSum(row) }))
    const merged =
      'field' in grouping && isOwnerField(grouping.field)
        ? await nameOwners(groups, grouping.field)
        : groups
    return merged.toSorted(
      (a, b) => b.count - a.count || compareText(String(a.value), String(b.value)),
    )
  }
}
