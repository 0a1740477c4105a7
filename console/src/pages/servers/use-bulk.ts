import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { actOnEach, type ActResult } from '../../servers/act-on-each.ts'
import type { Row } from '../../servers/row.ts'

export type BulkAction =
  | { readonly kind: 'sync' }
  | { readonly kind: 'tag'; readonly key: string; readonly value: string }

function act(action: BulkAction, { id }: Row, signal: AbortSignal): Promise<unknown> {
  const parameters = { id }
  if (action.kind === 'sync') return api.syncServer({ parameters, signal })
  const metadata = { [action.key]: action.value === '' ? null : action.value }
  return api.mergeServerMetadata({ parameters, body: { metadata }, signal })
}

/** Runs an action on several servers once, until it is done or stopped. */
export function useBulk(rows: readonly Row[]) {
  const [results, setResults] = useState<readonly ActResult[]>([])
  const control = useRef<AbortController>(undefined)
  const stop = () => control.current?.abort()
  useEffect(() => stop, [])
  const { mutate, status, error } = useMutation({
    mutationFn: ({ action, signal }: { action: BulkAction; signal: AbortSignal }) =>
      actOnEach({
        rows,
        signal,
        act: (row) => act(action, row, signal),
        onResult: (result) => setResults((before) => [...before, result]),
      }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['servers'] }),
  })
  return {
    results,
    error,
    isRunning: status === 'pending',
    isOver: status === 'success' || status === 'error',
    start: (action: BulkAction) => {
      if (control.current) return
      control.current = new AbortController()
      mutate({ action, signal: control.current.signal })
    },
    stop,
  }
}
