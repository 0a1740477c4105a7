import { useSyncExternalStore } from 'react'
import { subscribeToPreferences } from './preferences.ts'

/** `usePreference(theme)`. Rerenders when the preference changes. */
export const usePreference = <Value>(read: () => Value): Value =>
  useSyncExternalStore(subscribeToPreferences, read)
