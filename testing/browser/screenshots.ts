import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { stderr } from 'node:process'
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

await readyConsole(stderr)
mkdirSync(folder, { recursive: true })
const { browser, close } = await openBrowser()
const platform = await startPlatform({ flags: ['--demo', '--demo-servers=5000'] })

async function findSubjects() {
  const client = await createAdminClient(platform)
  const { servers } = await client.get<{ servers: { id: string }[] }>('listServers', {
    query:
      'scope=system&q=provider:Aws%20status:running%20domain:Research&order_by=name&order=asc&limit=4',
  })
  const { cloudaccounts } = await client.get<{ cloudaccounts: { id: string; name: string }[] }>(
    'listCloudAccounts',
  )
  const account = cloudaccounts.find(({ name }) => name.includes('aws')) ?? cloudaccounts[0]
  return { server: servers[3]?.id ?? '', account: account?.id ?? '' }
}

async function take(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`/console${path}`)
  await settle(page)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}

async function takeAll(context: BrowserContext, theme: string): Promise<void> {
  const { server, account } = await findSubjects()
  const page = await context.newPage()
  await take(page, '/login', `login-${theme}`)
  await enterAs(context, platform.url, admin)
  await take(page, '/', `overview-${theme}`)
  await take(page, `/accounts/${account}`, `account-${theme}`)
  await take(page, '/identity/users', `identity-${theme}`)
  await enterAs(context, platform.url, domainAdmin())
  const list = 'q=provider%3AAws+status%3Arunning&sort=name'
  await take(page, `/servers?${list}`, `servers-${theme}`)
  await take(page, `/servers?${list}&panel=${server}`, `server-${theme}`)
}

/** One of the three domains: enough servers to fill a list. */
function domainAdmin(): Person {
  const user = platform.demo?.users.find(({ role }) => role === 'domain_admin')
  if (!user?.password) throw new Error('the demo has no domain admin')
  return { name: user.name, password: user.password, domain: user.domain }
}

try {
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
