import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useValueNames } from '../../servers/value-names.ts'
import { readListState, writeListState, type ListState } from '../../servers/list-state.ts'

export type ChangeList = (
  changes: Partial<ListState>,
  options?: { readonly replace?: boolean },
) => void

/** The state of the list, stored in the address only. */
export function useListState(): readonly [ListState, ChangeList] {
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const names = useValueNames()
  const state = useMemo(() => {
    const read = readListState(search)
    return { ...read, q: names.toApiQuery(read.q) }
  }, [search, names])
  const change = useCallback<ChangeList>(
    (changes, { replace = false } = {}) =>
      void navigate({
        to: '/servers',
        search: (before) => writeListState({ ...readListState(before), ...changes }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  )
  return [state, change]
}
