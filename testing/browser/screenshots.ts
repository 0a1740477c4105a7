import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { repository } from '../../server/src/testing/spawn-muster.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import { enterAs, type Person } from './enter-as.ts'
import { openBrowser } from './open-browser.ts'
import { readyConsole } from './ready-console.ts'
import { settle } from './settle.ts'
import { admin } from './start-console.ts'

/** `npm run screenshots`: the main pages of a demo, light and dark, into docs/images. */
const folder = join(repository, 'docs/images')
const viewport = { width: 1440, height: 860 }
/** Texts stay sharp, and all pictures together have less than 1.5 MB. */
const quality = 0.8

await readyConsole(stderr)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const { browser, close } = await openBrowser()
const platform = await startPlatform({ flags: ['--demo', '--demo-servers=5000'] })

/** What changed since then is shown as the past and as changes. */
const loadedAt = new Date().toISOString()
const changesTake = 60_000

async function findSubjects() {
  const client = await createAdminClient(platform)
  const { servers } = await client.get<{ servers: { id: string }[] }>('listServers', {
    query:
      'scope=system&q=provider:Aws%20status:running%20domain:Research&order_by=name&order=asc&limit=4',
  })
  const { projects } = await client.get<{ projects: { id: string; name: string }[] }>(
    'listProjects',
  )
  const withPeople = platform.demo?.users.find(({ project }) => project !== undefined)?.project
  const project = projects.find(({ name }) => name === withPeople)
  return { server: servers[3]?.id ?? '', project: project?.id ?? '' }
}

/** The encoder is that of the browser. */
async function toWebp(blank: Page, png: Buffer): Promise<Buffer> {
  const url = `data:image/png;base64,${png.toString('base64')}`
  const base64 = await blank.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = ${JSON.stringify(url)}
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${quality}).split(',')[1]
  })()`)
  return Buffer.from(base64, 'base64')
}

async function takeAll(context: BrowserContext, theme: string): Promise<void> {
  const { server, project } = await findSubjects()
  const page = await context.newPage()
  const blank = await context.newPage()

  async function save(name: string): Promise<void> {
    const png = await page.screenshot({ animations: 'disabled' })
    writeFileSync(join(folder, `${name}-${theme}.webp`), await toWebp(blank, png))
  }

  async function take(path: string, name: string): Promise<void> {
    await page.goto(`/console${path}`)
    await settle(page)
    await page.waitForLoadState('networkidle')
    // The values of the filters come last.
    if (path.startsWith('/servers')) {
      await page
        .getByRole('button', { name: /^Show all/ })
        .first()
        .waitFor()
    }
    await save(name)
  }

  await enterAs(context, platform.url, admin)
  await take('/', 'overview')
  await take('/changes', 'changes')
  await take('/checks', 'checks')
  await take('/accounts', 'accounts')
  await take(`/identity/projects/${project}`, 'access')
  await take('/activity', 'activity')
  await enterAs(context, platform.url, domainAdmin())
  const list = 'q=provider%3AAws+status%3Arunning&sort=name'
  await take(`/servers?${list}`, 'servers')
  await take(`/servers?${list}&panel=${server}`, 'server')
  await take(`/servers?sort=name&as_of=${loadedAt}`, 'past')
  await page.goto('/console/servers?sort=name')
  await settle(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('web')
  await page.getByRole('option', { name: /^Filter servers by/ }).waitFor()
  await page.getByRole('option').nth(8).waitFor()
  await save('palette')
}

/** One of the three domains: enough servers to fill a list. */
function domainAdmin(): Person {
  const user = platform.demo?.users.find(({ role }) => role === 'domain_admin')
  if (!user?.password) throw new Error('the demo has no domain admin')
  return { name: user.name, password: user.password, domain: user.domain }
}

try {
  await platform.checks.evaluateChecks()
  await pause(changesTake)
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport,
      colorScheme,
      baseURL: platform.url,
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    })
    await takeAll(context, colorScheme)
    await context.close()
  }
} finally {
  await close()
  await platform.close()
}
