// Runs before the first paint, and apart from the bundle, since the content security policy allows no
// script inside the page. `src/frame/preferences.ts` and `src/messages/language.ts` keep
// what is read here.
{
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const root = document.documentElement
  const choice = read('muster.theme')
  const isDark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = isDark ? 'dark' : 'light'
  const density = read('muster.density')
  if (density === 'compact') root.dataset.density = density
  const language = read('muster.language') ?? navigator.language
  root.lang = language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en'
}
