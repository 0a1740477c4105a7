/** How many rows one statement reads or one commit writes. */
export const defaultChunkSize = 500

/** Splits a list into parts of at most `size` items. */
export function* chunk<Item>(
  items: Iterable<Item>,
  size = defaultChunkSize,
): Generator<readonly Item[]> {
  let part: Item[] = []
  for (const item of items) {
    part.push(item)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
