import { ConnectionError } from '@muster/sdk'
import { lazyRouteComponent, type AsyncRouteComponent } from '@tanstack/react-router'

const pages: AsyncRouteComponent<unknown>[] = []

/**
 * A page whose code is loaded when it is opened. Code that does not come is the connection's fault,
 * and is said to be: the router would reload the whole page, into the browser's own error.
 */
export function lazyPage<Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  const page = lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      throw new ConnectionError('The code of the page could not be loaded.', { cause })
    }
  }, name)
  pages.push(page)
  return page
}

/** Loads the code of every page in advance, so that each opens without a connection too. */
export async function preloadPages(): Promise<void> {
  for (const page of pages) await page.preload?.()
}
