import { useCallback, useLayoutEffect, useRef } from 'react'

/** A handler of events that stays the same object, so memoized rows stay too, and does what the last render says. */
export function useStableCallback<Values extends readonly unknown[]>(
  callback: (...values: Values) => void,
): (...values: Values) => void {
  const latest = useRef(callback)
  useLayoutEffect(() => {
    latest.current = callback
  })
  return useCallback((...values: Values) => latest.current(...values), [])
}
