import { activity } from './activity.ts'
import { identity } from './identity.ts'
import { en } from './index.ts'
import { providers } from './providers.ts'

/** Messages that only the pages in `other-pages.ts` show. The first page does not wait for them. */
const later = { activity, identity, providers }
export type LaterMessages = typeof later

Object.assign(en, later)
