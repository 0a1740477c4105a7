const atOnce = 500

/** Parts that are small enough to be asked for at once. */
export function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += atOnce) yield items.slice(at, at + atOnce)
}
