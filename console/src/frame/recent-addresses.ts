import { readStoredText, storeText } from '../browser/local-storage.ts'

const most = 8
const key = (userId: string) => `muster.recent.${userId}`

/**
 * What a user opened last in this browser, newest first. Addresses have ids and no names: their names are asked
 * for when they are shown, since the user may have lost access.
 */
export function recentAddresses(userId: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(readStoredText(key(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((address) => typeof address === 'string') : []
  } catch {
    return []
  }
}

export function rememberAddress(userId: string, address: string): void {
  const others = recentAddresses(userId).filter((other) => other !== address)
  storeText(key(userId), JSON.stringify([address, ...others].slice(0, most)))
}

interface Location {
  readonly pathname: string
  readonly search: { readonly panel?: string | undefined }
}

/** Servers, accounts, projects and users have addresses of their own, whichever tab is shown. */
const entity = /^\/(?:servers|accounts|identity\/(?:projects|users))\/[^/]+/

/** The address of what a location shows: an entity, or the page that it belongs to. */
export function addressOf(
  { pathname, search: { panel } }: Location,
  pages: readonly string[],
): string | undefined {
  if (pathname === '/servers' && panel !== undefined) {
    return `/servers/${encodeURIComponent(panel)}`
  }
  return (
    entity.exec(pathname)?.[0] ??
    pages.find((page) => pathname === page || (page !== '/' && pathname.startsWith(`${page}/`)))
  )
}
