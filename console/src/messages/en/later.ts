import { activity } from './activity.ts'
import { identity } from './identity.ts'
import { en } from './index.ts'
import { providers } from './providers.ts'

const later = { activity, identity, providers }
export type LaterMessages = typeof later

/** Adds the messages that only the pages in `other-pages.ts` show. The first page does not wait for them. */
export function addLaterMessages(): void {
  Object.assign(en, later)
}
