import { useState } from 'react'

/** The value to which the rows on the screen belong: while they are outdated, the previous one. */
export function useShown<Value>(value: Value, isOutdated: boolean): Value {
  const [shown, setShown] = useState(value)
  if (isOutdated || shown === value) return shown
  setShown(value)
  return value
}
