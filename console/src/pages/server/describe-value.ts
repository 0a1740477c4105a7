import type { Format } from '../../messages/format.ts'

const sizes: ReadonlySet<string> = new Set(['disk', 'vmem_size'])

/** The value of a field before or after a change, as text; undefined if there was none. */
export function describeValue(
  field: string,
  value: unknown,
  size: Format['size'],
): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value) && value.length === 0) return undefined
  // Sources report 0 for a size that they do not know.
  if (value === 0 && (sizes.has(field) || field === 'vcpu_count')) return undefined
  if (typeof value === 'number' && sizes.has(field)) return size(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
