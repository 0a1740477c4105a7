import { setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '../../domain/sources/source-error.ts'

/** Events of one action within this time are combined. Milliseconds. */
const burst = 50
const maxAtOnce = 64

/** Items that events report as changed, by key, until they are read. */
export class ChangedItems<Item> {
  readonly #items = new Map<string, Item>()
  readonly #maxItems: number
  #isWoken = false
  #resume = () => {}

  constructor(maxItems: number) {
    this.#maxItems = maxItems
  }

  add(key: string, item: Item): void {
    this.#items.set(key, item)
    if (this.#items.size > this.#maxItems) {
      throw new SourceError(
        'invalid-response',
        'The source reports more changes than Muster can read.',
      )
    }
    this.#resume()
  }

  /** Ends the wait of `take`, because there will be no more events. */
  wake(): void {
    this.#isWoken = true
    this.#resume()
  }

  /** Waits for changes and removes some of them. None after `wake`, after the signal, or after the longest wait. */
  async take(signal: AbortSignal, longest?: number): Promise<readonly (readonly [string, Item])[]> {
    if (this.#items.size === 0 && !this.#isWoken) await this.#wait(signal, longest)
    this.#isWoken = false
    if (this.#items.size === 0 || signal.aborted) return []
    await pause(burst)
    const taken = [...this.#items].slice(0, maxAtOnce)
    for (const [key] of taken) this.#items.delete(key)
    return taken
  }

  async #wait(signal: AbortSignal, longest: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const onAbort = () => resolve()
    this.#resume = resolve
    const timer = longest === undefined ? undefined : setTimeout(resolve, longest)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) resolve()
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
