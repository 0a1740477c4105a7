import type { BrowserContext } from 'playwright-core'
import { createBrowser } from '../../gateway/src/testing/browser.ts'

export interface Person {
  readonly name: string
  readonly password: string
  readonly domain?: string
}

/** Logs in without the login page. */
export async function enterAs(context: BrowserContext, url: string, person: Person): Promise<void> {
  const { name, password, domain } = person
  const session = createBrowser(url)
  await session.logIn(name, password, domain === undefined ? {} : { domain })
  await context.addCookies(
    [...session.cookies].map(([cookie, value]) => ({
      name: cookie,
      value,
      // A secure cookie needs an HTTPS URL; browsers still send it to localhost over plain HTTP.
      url: url.replace('http:', 'https:'),
      secure: true,
      httpOnly: true,
      sameSite: 'Lax' as const,
    })),
  )
}
