import type { Page } from 'playwright-core'
import type { SmallFleet } from './small-fleet.ts'
import type { TestConsole } from './start-console.ts'

export const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

export const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter servers' })

/** Waits for the number of servers, and for filters that agree with it. */
export async function countIs(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text, { exact: true }).waitFor()
  await page.locator('aside[aria-busy=true]').waitFor({ state: 'detached' })
}

/** The server list of the fleet's owner, with its first rows. */
export async function openServerList(
  test: Parameters<TestConsole['visit']>[0],
  testConsole: TestConsole,
  fleet: SmallFleet,
  search = '',
) {
  const visit = await testConsole.visit(test, fleet.owner)
  await visit.page.goto(`/console/servers${search}`)
  await visit.page.locator('tbody a').first().waitFor()
  return visit
}
