import { useMemo, useSyncExternalStore } from 'react'
import { createFormat, type Format } from './format.ts'
import { language, subscribeToLanguage } from './language.ts'

/** Numbers, sizes and times in the user's language. */
export function useFormat(): Format {
  const current = useSyncExternalStore(subscribeToLanguage, language)
  return useMemo(() => createFormat(current), [current])
}
