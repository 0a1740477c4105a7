import { useNavigate, useSearch } from '@tanstack/react-router'

/** The moment of the past that the page shows, from the address; undefined for now. */
export const useAsOf = (): string | undefined => useSearch({ strict: false })['as_of'] || undefined

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
