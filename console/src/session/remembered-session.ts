import type { SessionDto } from '@muster/contract'
import { readStoredText, storeText } from '../browser/local-storage.ts'

const key = 'muster.session'

/**
 * Stores who is logged in and where, so that a page that cannot load the session still has its frame. The
 * CSRF token is left out: only the API may give it.
 */
export const rememberSession = (session: SessionDto): void =>
  storeText(key, JSON.stringify({ ...session, csrf_token: '' }))

export const forgetSession = (): void => storeText(key, '')

export function rememberedSession(): SessionDto | undefined {
  try {
    const session = JSON.parse(readStoredText(key) || 'null') as SessionDto | null
    // An earlier version stored sessions without it.
    if (!session || !('second_factor' in session)) return undefined
    return Date.parse(session.expires_at) > Date.now() ? session : undefined
  } catch {
    return undefined
  }
}
