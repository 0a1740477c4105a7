/** What the browser keeps for a user; null where there is nothing, or where it keeps nothing. */
export function readStoredText(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** A browser that keeps nothing still shows what was chosen until the page is left. */
export function storeText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // A nuisance the next time, not a fault.
  }
}
