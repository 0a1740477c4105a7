/** A text in local storage; null if there is none, or if storage is disabled. */
export function readStoredText(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** With storage disabled, a choice lasts until the page is closed. */
export function storeText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {}
}
