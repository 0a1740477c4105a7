import { globSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { consoleFolder } from '../server/src/composition/console-folder.ts'
import { enterAs } from '../testing/browser/enter-as.ts'
import { howToGetChromium, startChromium } from '../testing/browser/find-chromium.ts'
import { readyConsole } from '../testing/browser/ready-console.ts'
import { bestOfRounds, boundRow, type Benchmark, type Row } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { password } from './server.ts'

/** Fixed for this benchmark, whatever size the others use. */
const servers = 100_000
const kilobyte = 1_000
/** Milliseconds between the keystrokes of a good typist, and between two words. */
const [pace, rest] = [200, 2_000]

/** Records when the first rows are on the screen, in milliseconds since the start of the navigation. */
const watchRows = `new MutationObserver((_, watch) => {
  if (!document.querySelector('tbody a')) return
  watch.disconnect()
  requestAnimationFrame(() => setTimeout(() => { globalThis.firstRows = performance.now() }))
}).observe(document, { childList: true, subtree: true })`

/**
 * Records for each change of the filter how long it takes until its rows are on the screen. The list
 * is marked while it still shows the rows of the previous filter. What changes no query before the next
 * key, and what is cached, is not recorded.
 */
const watchKeystrokes = `globalThis.keystrokes = []
let unsent
addEventListener('input', () => {
  const begin = performance.now()
  let wasBehind = false
  unsent?.disconnect()
  const watch = new MutationObserver(() => {
    const isBehind = document.querySelector('[data-outdated=true] table') !== null
    if (isBehind && unsent === watch) unsent = undefined
    wasBehind ||= isBehind
    if (isBehind || !wasBehind) return
    watch.disconnect()
    requestAnimationFrame(() => setTimeout(() => keystrokes.push(performance.now() - begin)))
  })
  unsent = watch
  watch.observe(document, { subtree: true, attributes: true, attributeFilter: ['data-outdated'] })
  setTimeout(() => watch.disconnect(), ${rest})
}, { capture: true })`

/** A new profile without any cache, logged in as the administrator. */
async function openProfile(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: url })
  await enterAs(context, url, { name: 'sysadmin', password })
  return context
}

async function loadCold(browser: Browser, url: string): Promise<number> {
  const context = await openProfile(browser, url)
  const page = await context.newPage()
  await page.addInitScript(watchRows)
  await page.goto('/console/servers')
  await page.locator('tbody a').first().waitFor()
  await page.waitForTimeout(100)
  const time: number = await page.evaluate('firstRows')
  await context.close()
  return time
}

/** A name, an address and a filter. */
const queriesFor = (name: string, address: string) => [
  name.slice(0, 10),
  address.slice(0, 8),
  'status:running',
]

async function typeAll(page: Page, texts: readonly string[]): Promise<readonly number[]> {
  const filter = page.getByRole('combobox', { name: 'Filter servers' })
  for (const text of texts) {
    await filter.fill('')
    await page.waitForTimeout(rest)
    for (const key of text) {
      await filter.pressSequentially(key)
      await page.waitForTimeout(pace)
    }
    // Pause after each word.
    await page.waitForTimeout(rest)
  }
  const all = await page.evaluate<number[]>('keystrokes')
  return all.sort((one, other) => one - other)
}

async function measureKeystrokes(browser: Browser, url: string): Promise<readonly number[]> {
  const context = await openProfile(browser, url)
  const page = await context.newPage()
  await page.addInitScript(watchKeystrokes)
  await page.goto('/console/servers')
  const [name = '', address = ''] = await Promise.all(
    ['tbody a', 'tbody [data-filter="ip"]'].map((cell) => page.locator(cell).first().innerText()),
  )
  const times = await typeAll(page, queriesFor(name, address))
  await context.close()
  return times
}

const sizeOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + statSync(`${file}.gz`).size, 0) / kilobyte

/** The size of the scripts of the first page, and of all pages. */
async function measureScripts(browser: Browser, url: string): Promise<readonly Row[]> {
  const scripts = globSync('**/*.js', { cwd: consoleFolder }).map((file) =>
    join(consoleFolder, file),
  )
  const context = await openProfile(browser, url)
  const page = await context.newPage()
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(basename(new URL(request.url()).pathname)))
  await page.goto('/console/servers')
  await page.locator('tbody a').first().waitFor()
  await context.close()
  const first = sizeOf(scripts.filter((file) => asked.has(basename(file))))
  return [
    boundRow('JavaScript of all pages, gzipped', 'kB', sizeOf(scripts), 300),
    {
      what: 'JavaScript of the first page, gzipped',
      measured: `${Math.round(first)} kB`,
      target: 'no target',
      reached: true,
    },
  ]
}

export const consoleFigures: Benchmark = {
  id: 'P14',
  title: `console with ${servers.toLocaleString('en-US')} servers`,
  async measure() {
    await readyConsole(process.stderr)
    const fleet = await openFleet(servers)
    const launched = await startChromium()
    if (!launched) throw new Error(`no Chromium starts here: ${howToGetChromium}`)
    const server = await fleet.start(18_414)
    try {
      const browser = await chromium.connect(launched.wsEndpoint())
      const { cold } = await bestOfRounds({ cold: () => loadCold(browser, server.url) }, Math.min)
      const times = await measureKeystrokes(browser, server.url)
      const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
      return [
        boundRow('first rows after a cold load', 'ms', cold, 1_500),
        boundRow(`keystroke to rows, median of ${times.length}`, 'ms', at(0.5), 100),
        boundRow('keystroke to rows, p95', 'ms', at(0.95), 150),
        ...(await measureScripts(browser, server.url)),
      ]
    } finally {
      await launched.close()
      await server.stop()
    }
  },
}
