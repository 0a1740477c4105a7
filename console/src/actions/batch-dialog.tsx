import type { Batch, BatchPreview, ScopeParameter, TaskParameters } from '@muster/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { followBatch } from '../api/queries/tracked-tasks.ts'
import { queryClient } from '../api/query-client.ts'
import { createRequestKeys } from '../api/request-keys.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { TextField } from '../ui/field.tsx'
import { Property, PropertyList } from '../ui/property-list.tsx'
import { ActionFields } from './action-fields.tsx'
import { ActionText } from './action-text.tsx'
import { describeParameters } from './describe-parameters.ts'
import { PreviewDialog } from './preview-dialog.tsx'
import {
  apiAction,
  isDestructive,
  isTimeout,
  noOptions,
  paramsOf,
  type ActionName,
} from './server-action.ts'
import { useServerCount } from './use-server-count.ts'

/** Servers by id, or all that match a query. */
type BatchTarget =
  | { readonly ids: readonly string[] }
  | { readonly q: string; readonly scope: ScopeParameter }

interface Props {
  readonly name: ActionName
  readonly target: BatchTarget
  /** The parameters of an action that is repeated. Without them, the dialog asks for options. */
  readonly repeated?: TaskParameters
  /** How many servers the list shows. */
  readonly listed: number
  readonly onClose: () => void
  readonly onStarted: () => void
}

/** Shows what an action would do with each server, then starts it. */
export function BatchDialog({ name, target, repeated, listed, onClose, onStarted }: Props) {
  const messages = useMessages()
  const { actions: t } = messages
  const serverCount = useServerCount()
  const format = useFormat()
  const { number } = format
  const [options, setOptions] = useState(noOptions)
  const [typed, setTyped] = useState('')
  const [keys] = useState(createRequestKeys)
  const action = apiAction(name)
  const query = 'q' in target ? { scope: target.scope } : {}
  const servers = 'q' in target ? { q: target.q } : { ids: [...target.ids] }
  const params = repeated ?? paramsOf(name, options)
  // The time for the guest does not change the preview.
  const { timeout_secs: _, ...deciding } = params
  const dryRun = useQuery({
    queryKey: ['batch-preview', action, target, deciding],
    queryFn: async ({ signal }) => {
      const body = { batch: { action, ...servers, params: deciding, dry_run: true } }
      const { batch } = await api.createBatch({ body, query, headers: {}, signal })
      return batch as BatchPreview
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const start = useMutation({
    mutationFn: async ({ matched }: BatchPreview) => {
      const body = { batch: { action, ...servers, params, matched } }
      const headers = { 'idempotency-key': keys.keyOf(body) }
      return (await api.createBatch({ body, query, headers })).batch as Batch
    },
    onSuccess(started) {
      followBatch(started)
      void queryClient.invalidateQueries({ queryKey: ['servers'] })
      onStarted()
    },
  })
  const mustType = isDestructive(name, { isForced: params['is_force'] === true })
  const total = dryRun.data?.total ?? listed
  const refused = dryRun.data?.items.filter(({ outcome }) => outcome === 'refused').length ?? 0
  const isTyped = !mustType || typed.trim() === String(total - refused)
  const label = t.on(t.names[name], serverCount(total, refused))
  return (
    <PreviewDialog
      title={label}
      submit={() => label}
      danger={mustType}
      dryRun={dryRun}
      start={start}
      whyNot={isTimeout(options.timeout) ? (isTyped ? undefined : t.notTyped) : t.timeoutWrong}
      onPreviewAgain={() => setTyped('')}
      onClose={onClose}
      confirmation={
        mustType && (
          <TextField
            label={t.typeCount(number(total - refused))}
            required
            inputMode="numeric"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )
      }
    >
      <ActionText name={name} />
      {repeated ? (
        <PropertyList>
          {describeParameters(messages, format, repeated).map(([label, value]) => (
            <Property key={label} label={label}>
              {value}
            </Property>
          ))}
        </PropertyList>
      ) : (
        <ActionFields
          name={name}
          options={options}
          onChange={setOptions}
          groupLabel={t.forceGroups}
        />
      )}
    </PreviewDialog>
  )
}
