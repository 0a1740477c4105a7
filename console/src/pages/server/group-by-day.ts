interface Day<Item> {
  /** As `2026-05-04`, where the reader is. */
  readonly date: string
  readonly items: readonly Item[]
}

const two = (number: number) => String(number).padStart(2, '0')

/** The day of a moment by the reader's own clock. */
export function localDate(time: string | number): string {
  const at = new Date(time)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** What follows one another on the same day comes together; the order stays. */
export function groupByDay<Item extends { readonly time: string }>(
  items: readonly Item[],
): readonly Day<Item>[] {
  const days: { date: string; items: Item[] }[] = []
  for (const item of items) {
    const date = localDate(item.time)
    const last = days.at(-1)
    if (last?.date === date) last.items.push(item)
    else days.push({ date, items: [item] })
  }
  return days
}
