import { readStoredText, storeText } from '../browser/local-storage.ts'
import type { PageOption } from './palette-options.ts'

const most = 6
const key = (userId: string) => `muster.recent.${userId}`

/** The pages that a user opened last with the palette, in this browser. */
export function recentOptions(userId: string): readonly PageOption[] {
  try {
    const stored = JSON.parse(readStoredText(key(userId)) ?? '[]') as readonly PageOption[]
    return stored.map((option) => ({ ...option, id: `recent ${option.href}`, group: 'recent' }))
  } catch {
    return []
  }
}

export function rememberOption(userId: string, option: PageOption): void {
  const others = recentOptions(userId).filter(({ href }) => href !== option.href)
  storeText(key(userId), JSON.stringify([option, ...others].slice(0, most)))
}
