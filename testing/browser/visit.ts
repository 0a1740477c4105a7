import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

/** The default timeout. Tests keep the machine so busy that a page may take seconds. */
const longestWait = 20_000

/** Logs violations of the content security policy as errors of the page. */
const logViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))`

/** Failed requests, which the browser logs too. The page shows them. */
const isFailedRequest = (text: string) => text.startsWith('Failed to load resource')

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** The URLs of all requests, in order. */
  readonly requests: readonly string[]
  /** Errors, dialogs and requests to other origins. Must be empty. */
  readonly complaints: readonly string[]
}

/** Saves a screenshot of the page at its end, for debugging. */
async function saveScreenshot(context: BrowserContext): Promise<void> {
  const folder = process.env['TEST_PICTURES']
  if (folder === undefined) return
  pictures += 1
  const path = join(folder, `${process.pid}-${pictures}.png`)
  await context
    .pages()[0]
    ?.screenshot({ path })
    .catch(() => {})
}
let pictures = 0

/** Opens a page in a new browser profile. At the end there must be no errors and no requests to other origins. */
export async function openVisit(
  lifetime: Lifetime,
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    baseURL: origin,
    ...options,
  })
  const requests: string[] = []
  const complaints: string[] = []
  context.setDefaultTimeout(longestWait)
  await context.addInitScript(logViolations)
  context.on('request', (request) => {
    const url = request.url()
    requests.push(url)
    const isOwn = url.startsWith(`${origin}/`) || url.startsWith(`blob:${origin}/`)
    if (!isOwn && !url.startsWith('data:')) complaints.push(`request to another origin: ${url}`)
  })
  context.on('console', (message) => {
    if (message.type() !== 'error' || isFailedRequest(message.text())) return
    complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`error: ${String(error.error())}`))
  context.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  lifetime.after(async () => {
    await saveScreenshot(context)
    await context.close()
    assert.deepEqual(complaints, [])
  })
  return { page: await context.newPage(), context, requests, complaints }
}
