import { ConnectionError } from '@muster/sdk'
import { lazyRouteComponent } from '@tanstack/react-router'

const notPreloaded: (() => Promise<unknown>)[] = []

/**
 * A page whose code is loaded when it is opened. A load failure is reported as a connection error:
 * otherwise the router would reload the whole page and show the browser's error page.
 */
export function lazyPage<
  Module extends Record<string, unknown>,
  Name extends keyof Module & string,
>(load: () => Promise<Module>, name: Name) {
  notPreloaded.push(load)
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      throw new ConnectionError('The code of the page could not be loaded.', { cause })
    }
  }, name)
}

/**
 * Loads the code of all pages in advance, so that they open without a connection. Rejects at the first failure,
 * and the next call continues after it: the browser does not load failed code again until the page is reloaded.
 */
export async function preloadPages(): Promise<void> {
  for (let load = notPreloaded.shift(); load; load = notPreloaded.shift()) await load()
}
