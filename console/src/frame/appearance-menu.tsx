import { chooseLanguage, language, languages, type Language } from '../messages/language.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx'
import {
  chooseDensity,
  chooseTheme,
  density,
  theme,
  type Density,
  type Theme,
} from './preferences.ts'
import { usePreference } from './use-preference.ts'

const themes: readonly (readonly [Theme, IconName])[] = [
  ['light', 'sun'],
  ['dark', 'moon'],
  ['system', 'screen'],
]
const densities: readonly Density[] = ['comfortable', 'compact']

/** Theme, density and language. */
export function AppearanceMenu() {
  const t = useMessages()
  const currentTheme = usePreference(theme)
  const currentDensity = usePreference(density)
  const icon = themes.find(([name]) => name === currentTheme)?.[1] ?? 'screen'
  return (
    <Menu
      label={t.frame.theme}
      trigger={(properties) => (
        <Button look="quiet" icon={icon} label={t.frame.theme} {...properties} />
      )}
    >
      <MenuHeading>{t.frame.theme}</MenuHeading>
      {themes.map(([name]) => (
        <MenuItem key={name} checked={name === currentTheme} onSelect={() => chooseTheme(name)}>
          {t.frame[name]}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuHeading>{t.frame.density}</MenuHeading>
      {densities.map((name) => (
        <MenuItem key={name} checked={name === currentDensity} onSelect={() => chooseDensity(name)}>
          {t.frame[name]}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuHeading>{t.frame.language}</MenuHeading>
      {(Object.keys(languages) as Language[]).map((name) => (
        <MenuItem
          key={name}
          checked={name === language()}
          onSelect={() => void chooseLanguage(name)}
        >
          <span lang={name}>{languages[name]}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}
