import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

/** A voice command names what is seen. axe counts this rule as an experiment. */
const rules = { 'label-content-name-mismatch': { enabled: true } }

/** All rules, or only those about colours for the second theme. */
const everything = { type: 'tag', values: tags }
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** The violations in a part of the page, one line each. */
async function findViolations(
  page: Page,
  where: string,
  part: string,
  runOnly: object,
): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.addScriptTag({ path: axePath })
  const options = { runOnly, rules, resultTypes: ['violations'] }
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  )
  return violations.map(({ id, impact, nodes }) => {
    const places = nodes.slice(0, 4).map(({ target, failureSummary }) => {
      const [, reason = ''] = failureSummary.split('\n')
      return `${target.join(' ')} (${reason.trim().slice(0, 160)})`
    })
    return `${where}: ${impact} ${id} at ${nodes.length}: ${places.join(' | ')}`
  })
}

/** Checks a page, or a part of it, in both themes. Returns the violations of axe. */
export async function examine(page: Page, name: string, part = 'html'): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await findViolations(page, `${name}, light`, part, everything)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await findViolations(page, `${name}, dark`, part, colours))]
}
