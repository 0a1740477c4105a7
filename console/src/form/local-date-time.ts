const two = (part: number) => String(part).padStart(2, '0')

/** A moment of the API as an input for date and time holds it: local, to the minute. */
export function toLocalDateTime(time: string | null | undefined): string {
  if (!time) return ''
  const at = new Date(time)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The same in UTC, as the API takes it; undefined where there is none, or none that exists. */
export function fromLocalDateTime(text: string): string | undefined {
  const at = new Date(text)
  if (text === '' || Number.isNaN(at.getTime())) return undefined
  return `${at.toISOString().slice(0, 19)}Z`
}
