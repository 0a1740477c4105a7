import type { Page } from 'playwright-core'

/** Waits until the page has loaded its content. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const waiting = page.getByRole('status').filter({ hasText: /^Loading/ })
  const empty = page.locator('tr[aria-busy=true]')
  await waiting.or(empty).first().waitFor({ state: 'detached' })
}
