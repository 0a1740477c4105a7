interface Day<Item> {
  /** As `2026-05-04`, in local time. */
  readonly date: string
  readonly items: readonly Item[]
}

const two = (number: number) => String(number).padStart(2, '0')

/** The local date of a timestamp. */
export function localDate(time: string | number): string {
  const at = new Date(time)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** Groups consecutive items of the same local day. */
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
