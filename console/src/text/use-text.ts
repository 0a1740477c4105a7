import { useSyncExternalStore } from 'react'
import { currentWords, subscribeToLanguage } from './language.ts'
import type { Words } from './words.ts'

/** The words of the page in the user's language: `useText().servers.title`. */
export const useText = (): Words => useSyncExternalStore(subscribeToLanguage, currentWords)
