import { storeText, readStoredText } from '../browser/local-storage.ts'

/** Appearance and keyboard preferences in local storage. `public/theme.js` reads them before the first paint. */
export type Theme = 'light' | 'dark' | 'system'
export type Density = 'comfortable' | 'compact'

const listeners = new Set<() => void>()
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

function keep(key: string, value: string): void {
  storeText(key, value)
  for (const notify of listeners) notify()
}

export function subscribeToPreferences(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function theme(): Theme {
  const stored = readStoredText('muster.theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function applyTheme(): void {
  const isDark = theme() === 'dark' || (theme() === 'system' && systemIsDark.matches)
  root.dataset['theme'] = isDark ? 'dark' : 'light'
}

systemIsDark.addEventListener('change', applyTheme)

export function chooseTheme(next: Theme): void {
  keep('muster.theme', next)
  applyTheme()
}

export const density = (): Density =>
  root.dataset['density'] === 'compact' ? 'compact' : 'comfortable'

export function chooseDensity(next: Density): void {
  if (next === 'compact') root.dataset['density'] = next
  else delete root.dataset['density']
  keep('muster.density', next)
}

let areSingleKeysOff = readStoredText('muster.single-keys') === 'off'

/** Whether single-key shortcuts are on. Speech input users turn them off. */
export const hasSingleKeys = (): boolean => !areSingleKeysOff

export function chooseSingleKeys(isOn: boolean): void {
  areSingleKeysOff = !isOn
  keep('muster.single-keys', isOn ? 'on' : 'off')
}
