/** So many servers are written, or read to be changed, at once. */
export const batchSize = 500

/** Pieces of a list that are small enough for one commit. */
export function* inBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize)
}
