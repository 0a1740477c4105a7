import { chromium, type Browser } from 'playwright-core'
import { howToGetChromium, startChromium } from './find-chromium.ts'

/** Where the browser of a whole run of tests is reached. */
export const browserVariable = 'TEST_BROWSER'

/** The browser of this run, which all test files share; alone, one of its own. */
export async function openBrowser(): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const shared = process.env[browserVariable]
  if (shared !== undefined) {
    const browser = await chromium.connect(shared)
    return { browser, close: () => browser.close() }
  }
  const server = await startChromium()
  if (!server) throw new Error(`no Chromium starts here: ${howToGetChromium}`)
  const browser = await chromium.connect(server.wsEndpoint())
  return { browser, close: () => server.close() }
}
