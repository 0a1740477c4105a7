import { storeText } from '../browser/local-storage.ts'
import { en, type Messages } from './en/index.ts'

export const languages = { en: 'English', 'zh-CN': '简体中文' } as const
export type Language = keyof typeof languages

const key = 'muster.language'
const listeners = new Set<() => void>()
let messages: Messages = en

/** English is in the bundle. Other languages are loaded on demand. */
async function load(language: Language): Promise<Messages> {
  if (language === 'en') return en
  const { zhCN } = await import('./zh-CN/index.ts')
  return zhCN
}

/** The language that `public/theme.js` chose before the first paint. */
export const language = (): Language => (document.documentElement.lang === 'zh-CN' ? 'zh-CN' : 'en')

export const currentMessages = (): Messages => messages

export function subscribeToLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export async function startLanguage(): Promise<void> {
  try {
    messages = await load(language())
  } catch {
    // If the messages of a language cannot be loaded, the page stays in English.
    document.documentElement.lang = 'en'
  }
}

export async function chooseLanguage(next: Language): Promise<void> {
  messages = await load(next)
  document.documentElement.lang = next
  storeText(key, next)
  for (const tell of listeners) tell()
}
