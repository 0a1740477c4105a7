import { useNavigate, useSearch } from '@tanstack/react-router'
import { useFormat } from '../messages/use-format.ts'
import { useNow } from '../ui/use-now.ts'
import { readMoment } from '../url/read-moment.ts'

/** The moment of the past that the page shows, from the address; undefined for now. */
export const useAsOf = (): string | undefined => useSearch({ strict: false })['as_of'] || undefined

/** The time of the moment that the page shows, in milliseconds. It goes on if that is now. */
export function useShownTime(): number {
  const asOf = useAsOf()
  const now = useNow()
  return (asOf === undefined ? undefined : readMoment(asOf, now)) ?? now
}

/** A moment for people. What is no time is shown as it is in the address. */
export function useMomentText(): (asOf: string) => string {
  const { dateTime } = useFormat()
  return (asOf) => {
    const time = readMoment(asOf, Date.now())
    return time === undefined ? asOf : dateTime(new Date(time).toISOString())
  }
}

/** Shows another moment, or now, with everything else in the address unchanged. */
export function useShowMoment(): (asOf: string | undefined) => void {
  const navigate = useNavigate()
  return (asOf) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, as_of: asOf }),
      resetScroll: false,
    })
}
