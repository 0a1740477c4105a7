import { ConnectionError } from '@muster/sdk'
import { lazyRouteComponent, type AsyncRouteComponent } from '@tanstack/react-router'

const pages: AsyncRouteComponent<unknown>[] = []

/**
 * A page whose code is loaded when it is opened. A load failure is reported as a connection error:
 * otherwise the router would reload the whole page and show the browser's error page.
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

/** Loads the code of all pages in advance, so that they open without a connection. */
export async function preloadPages(): Promise<void> {
  for (const page of pages) await page.preload?.()
}
