import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { actOnEach, type ActResult } from '../../servers/act-on-each.ts'
import type { Row } from '../../servers/stable-pages.ts'

export type BulkDeed =
  | { readonly kind: 'sync' }
  | { readonly kind: 'tag'; readonly key: string; readonly value: string }

function act(deed: BulkDeed, { id }: Row, signal: AbortSignal): Promise<unknown> {
  const parameters = { id }
  if (deed.kind === 'sync') return api.syncServer({ parameters, signal })
  const metadata = { [deed.key]: deed.value === '' ? null : deed.value }
  return api.mergeServerMetadata({ parameters, body: { metadata }, signal })
}

/** Does something with several servers; it goes on until it is done or stopped, and only once. */
export function useBulk(rows: readonly Row[]) {
  const [results, setResults] = useState<readonly ActResult[]>([])
  const control = useRef<AbortController>(undefined)
  const stop = () => control.current?.abort()
  useEffect(() => stop, [])
  const { mutate, status, error } = useMutation({
    mutationFn: ({ deed, signal }: { deed: BulkDeed; signal: AbortSignal }) =>
      actOnEach({
        rows,
        signal,
        act: (row) => act(deed, row, signal),
        onResult: (result) => setResults((before) => [...before, result]),
      }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['servers'] }),
  })
  return {
    results,
    error,
    isRunning: status === 'pending',
    isOver: status === 'success' || status === 'error',
    start: (deed: BulkDeed) => {
      if (control.current) return
      control.current = new AbortController()
      mutate({ deed, signal: control.current.signal })
    },
    stop,
  }
}
