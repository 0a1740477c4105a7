import { ResponseTooLarge } from './response-too-large.ts'

interface PageSizes {
  readonly largest: number
  readonly smallest: number
}

/** Requests a page in a smaller size while it is too large, and the next pages in larger ones again. */
export function createPageShrinker(
  { largest, smallest }: PageSizes,
  isTooLarge = (error: unknown): boolean => error instanceof ResponseTooLarge,
) {
  let size = largest
  return async function request<Page>(read: (size: number) => Promise<Page>): Promise<Page> {
    for (;;) {
      try {
        const page = await read(size)
        size = Math.min(largest, size * 2)
        return page
      } catch (error) {
        if (!isTooLarge(error) || size <= smallest) throw error
        size = Math.max(smallest, Math.floor(size / 4))
      }
    }
  }
}
