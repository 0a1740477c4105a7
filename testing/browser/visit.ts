import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

/** Waiting longer than this, a user would think that it does not work. */
const longestWait = 8_000

/** Reported as an error of the page's own: what the policy has stopped was asked for by somebody. */
const tellViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))`

/** The answer was an error, or there was none: the page says so, and the browser notes it too. */
const isAnswer = (text: string) => text.startsWith('Failed to load resource')

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** All that was asked for, in order. */
  readonly requests: readonly string[]
  /** Errors, dialogs, and what went elsewhere: all that must not be. */
  readonly complaints: readonly string[]
}

/** For whoever looks for why a test fails: how every page looked at its end. */
async function keepPicture(context: BrowserContext): Promise<void> {
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

/** A new, empty browser profile at a page. When it ends, nothing must have gone elsewhere or wrong. */
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
  await context.addInitScript(tellViolations)
  context.on('request', (request) => {
    const url = request.url()
    requests.push(url)
    const isOwn = url.startsWith(`${origin}/`) || url.startsWith(`blob:${origin}/`)
    if (!isOwn && !url.startsWith('data:')) complaints.push(`asked elsewhere: ${url}`)
  })
  context.on('console', (message) => {
    if (message.type() !== 'error' || isAnswer(message.text())) return
    complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`error: ${String(error.error())}`))
  context.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  lifetime.after(async () => {
    await keepPicture(context)
    await context.close()
    assert.deepEqual(complaints, [])
  })
  return { page: await context.newPage(), context, requests, complaints }
}
