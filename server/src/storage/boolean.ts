/** How a boolean is stored. */
export const toInteger = (value: boolean) => (value ? 1 : 0)

/** Reads a stored boolean strictly: anything but 0 and 1 is an error, never true. */
export function readBoolean(value: unknown): boolean {
  if (value === 0) return false
  if (value === 1) return true
  throw new TypeError('a stored boolean is neither 0 nor 1')
}
