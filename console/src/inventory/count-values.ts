import type { ValueCount } from '../servers/value-counts.ts'
import type { ResourceRow } from './resource-row.ts'

/** The values of a field in these rows, most frequent first. */
export function countValues(rows: readonly ResourceRow[], field: string): readonly ValueCount[] {
  const counts = new Map<string, number>()
  for (const { [field]: value } of rows) {
    if (value === undefined || value === null || value === '') continue
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || one.value.localeCompare(other.value))
}
