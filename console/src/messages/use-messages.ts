import { useSyncExternalStore } from 'react'
import { currentMessages, subscribeToLanguage } from './language.ts'
import type { Messages } from './en/index.ts'
import type { AllMessages } from './en/later.ts'

/** The messages of the page in the user's language: `useMessages().servers.title`. */
export const useMessages = (): Messages =>
  useSyncExternalStore(subscribeToLanguage, currentMessages)

/** Also those of `later.ts`, for pages in `other-pages.ts`. */
export const useAllMessages = useMessages as () => AllMessages
