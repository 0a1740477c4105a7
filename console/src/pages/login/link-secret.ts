const key = 'muster.password-link'

/**
 * The secret of a password link, in the fragment of the address. Once it is hidden there, it is in the storage of this
 * tab, so that a reload does not lose it.
 */
export function readLinkSecret(): string {
  const secret = location.hash.slice(1)
  if (secret !== '') return secret
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Takes the secret out of the history, where others who use the browser would find it. */
export function hideLinkSecret(secret: string): void {
  try {
    sessionStorage.setItem(key, secret)
  } catch {
    // Without storage a reload needs the secret in the address.
    return
  }
  window.history.replaceState(window.history.state, '', location.pathname)
}

export function forgetLinkSecret(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {}
}
