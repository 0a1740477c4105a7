import { keepText } from '../browser/kept-text.ts'
import { en } from './en/index.ts'
import type { Words } from './words.ts'

export const languages = { en: 'English', 'zh-CN': '简体中文' } as const
export type Language = keyof typeof languages

const key = 'muster.language'
const listeners = new Set<() => void>()
let words: Words = en

/** English is in the bundle, the others come when they are wanted. */
async function load(language: Language): Promise<Words> {
  if (language === 'en') return en
  const { zhCN } = await import('./zh-CN/index.ts')
  return zhCN
}

/** As `public/theme.js` has decided before the first paint. */
export const language = (): Language => (document.documentElement.lang === 'zh-CN' ? 'zh-CN' : 'en')

export const currentWords = (): Words => words

export function subscribeToLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export async function startLanguage(): Promise<void> {
  try {
    words = await load(language())
  } catch {
    // Without the words of a language the page is still of use in another.
    document.documentElement.lang = 'en'
  }
}

export async function chooseLanguage(next: Language): Promise<void> {
  words = await load(next)
  document.documentElement.lang = next
  keepText(key, next)
  for (const tell of listeners) tell()
}
