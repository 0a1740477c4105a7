import { useSyncExternalStore } from 'react'
import { subscribeToPreferences } from './preferences.ts'

/** `usePreference(theme)`: and again when the user chooses another. */
export const usePreference = <Value>(read: () => Value): Value =>
  useSyncExternalStore(subscribeToPreferences, read)
