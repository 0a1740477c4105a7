import type { Page } from 'playwright-core'

/** Records which of these texts the page shows from now on, even briefly. */
export async function watchTexts(
  page: Page,
  texts: readonly string[],
): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const texts = ${JSON.stringify(texts)}
    window.seenTexts = new Set()
    const look = () => {
      for (const text of texts) if (document.body.textContent.includes(text)) seenTexts.add(text)
    }
    look()
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  }`)
  return async () => await page.evaluate<string[]>('[...seenTexts]')
}
