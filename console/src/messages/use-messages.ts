import { useSyncExternalStore } from 'react'
import { currentMessages, subscribeToLanguage } from './language.ts'
import type { Messages } from './en/index.ts'

/** The messages of the page in the user's language: `useMessages().servers.title`. */
export const useMessages = (): Messages =>
  useSyncExternalStore(subscribeToLanguage, currentMessages)
