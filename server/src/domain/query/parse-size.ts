const units: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 * 1024 }

const form = /^(\d{1,9}(?:\.\d{1,3})?)([MGT])(?:i?B)?$/i

/** A size with its unit, as `8G` or `1.5TiB`, in MB. Undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = form.exec(text) ?? []
  if (amount === undefined) return undefined
  return Math.round(Number(amount) * (units[unit.toUpperCase()] ?? 1))
}
