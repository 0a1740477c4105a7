import { chromium, type Browser } from 'playwright-core'
import { howToGetChromium, startChromium } from './find-chromium.ts'

/** The endpoint of the browser of a test run. */
export const browserVariable = 'TEST_BROWSER'

/** The browser that all test files of a run share, or a new one for a single file. */
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
