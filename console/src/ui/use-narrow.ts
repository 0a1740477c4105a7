import { useSyncExternalStore } from 'react'

/** As wide as a phone, as in the media queries of the styles. */
const narrow = matchMedia('(max-width: 640px)')

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange)
  return () => narrow.removeEventListener('change', onChange)
}

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
