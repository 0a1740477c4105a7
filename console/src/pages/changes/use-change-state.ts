import type { ChangeKind } from '@muster/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { readChangeState, writeChangeState, type ChangeState } from './change-state.ts'

export type SetChangeState = (changes: Partial<ChangeState>, replace?: boolean) => void

/** All kinds of changes, in the order of a sentence. */
export function useChangeKinds(): readonly ChangeKind[] {
  const { changes: t } = useMessages()
  return useMemo(() => Object.keys(t.kinds) as ChangeKind[], [t])
}

/** The state of the page, stored in the address only. */
export function useChangeState(): readonly [ChangeState, SetChangeState] {
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const names = useValueNames()
  const kinds = useChangeKinds()
  const state = useMemo(() => {
    const read = readChangeState(search, kinds)
    return { ...read, q: names.toApiQuery(read.q) }
  }, [search, kinds, names])
  const change = useCallback<SetChangeState>(
    (changes, replace = false) =>
      void navigate({
        to: '/changes',
        search: (before) => writeChangeState({ ...readChangeState(before, kinds), ...changes }),
        replace,
        resetScroll: false,
      }),
    [navigate, kinds],
  )
  return [state, change]
}
