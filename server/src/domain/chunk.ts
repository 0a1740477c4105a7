/** How many rows one statement reads or one commit writes. */
export const defaultChunkSize = 500

/** Splits a list into parts of at most `size` items. */
export function* chunk<Item>(
  items: readonly Item[],
  size = defaultChunkSize,
): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
