import { factors } from './factors.ts'
import { identity } from './identity.ts'
import { en, type Messages } from './index.ts'
import { keyRestriction } from './key-restriction.ts'
import { linkedLogins } from './linked-logins.ts'
import { providers } from './providers.ts'

const later = { factors, identity, keyRestriction, linkedLogins, providers }

/** With the messages that only some of the pages in `other-pages.ts` show. */
export type AllMessages = Messages & typeof later

/** Adds them to the English messages. The first page does not wait for them. */
export function addLaterMessages(): void {
  Object.assign(en, later)
}
