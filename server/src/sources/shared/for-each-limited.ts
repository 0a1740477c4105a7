/** Calls the work for each item, at most so many at a time. After an error no further item is begun. */
export async function forEachLimited<Item>(
  items: readonly Item[],
  maxAtOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let hasFailed = false
  async function workOff(): Promise<void> {
    for (const item of queue) {
      if (hasFailed) return
      try {
        await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, workOff))
}
