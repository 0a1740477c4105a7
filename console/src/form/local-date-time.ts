const two = (part: number) => String(part).padStart(2, '0')

/** An API timestamp as the value of a datetime-local input. */
export function toLocalDateTime(time: string | null | undefined): string {
  if (!time) return ''
  const at = new Date(time)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The value of a datetime-local input as an API timestamp; undefined if empty or invalid. */
export function fromLocalDateTime(text: string): string | undefined {
  const at = new Date(text)
  if (text === '' || Number.isNaN(at.getTime())) return undefined
  return `${at.toISOString().slice(0, 19)}Z`
}
