import type { Batch, BatchPreview } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { followBatch } from '../api/queries/tracked-tasks.ts'
import { queryClient } from '../api/query-client.ts'
import { createRequestKeys } from '../api/request-keys.ts'
import { FormDialog } from '../form/form-dialog.tsx'
import type { Scope } from '../inventory/list-state.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { ActionFields } from './action-fields.tsx'
import { PreviewGroups } from './preview-groups.tsx'
import {
  apiAction,
  countOutcome,
  isDestructive,
  isTimeout,
  noOptions,
  paramsOf,
  type ActionName,
} from './server-action.ts'

/** Servers by id, or all that match a query. */
type BatchTarget =
  | { readonly ids: readonly string[] }
  | { readonly q: string; readonly scope: Scope }

interface Props {
  readonly name: ActionName
  readonly target: BatchTarget
  /** How many servers the list shows. */
  readonly listed: number
  readonly onClose: () => void
  readonly onStarted: () => void
}

/** Shows what an action would do with each server, then starts it. */
export function BatchDialog({ name, target, listed, onClose, onStarted }: Props) {
  const { actions: t, common } = useMessages()
  const { number } = useFormat()
  const [options, setOptions] = useState(noOptions)
  const [typed, setTyped] = useState('')
  const [keys] = useState(createRequestKeys)
  const action = apiAction(name)
  const query = 'q' in target ? { scope: target.scope } : {}
  const servers = 'q' in target ? { q: target.q } : { ids: [...target.ids] }
  const params = paramsOf(name, options)
  // How long a guest may take does not decide about a server.
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
  const { data: preview } = dryRun
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
  const isSetChanged = isApiError(start.error, 'ConflictError')
  const acting = preview ? countOutcome(preview.items, 'act') : 0
  const mustType = isDestructive(name, options)

  function whyNot(): string | undefined {
    if (!isTimeout(options.timeout)) return t.timeoutWrong
    if (!preview || dryRun.isFetching || isSetChanged) return t.previewOutdated
    if (acting === 0) return t.nothingToDo
    return mustType && typed.trim() !== String(acting) ? t.notTyped : undefined
  }

  function previewAgain(): void {
    start.reset()
    setTyped('')
    void dryRun.refetch()
  }

  const countText = (count: number) => common.servers(count, number(count))
  const title = t.on(t.names[name], countText(preview?.total ?? listed))
  return (
    <FormDialog
      title={title}
      submit={t.on(t.names[name], countText(acting))}
      danger={mustType}
      busy={start.isPending}
      error={isSetChanged ? null : start.error}
      disabledReason={whyNot()}
      onSubmit={() => preview && start.mutate(preview)}
      onClose={onClose}
    >
      <p>{t.texts[name]}</p>
      <ActionFields
        name={name}
        options={options}
        onChange={setOptions}
        groupLabel={t.forceGroups}
      />
      <QueryView query={dryRun}>
        {({ items }) => <PreviewGroups label={t.preview} items={items} />}
      </QueryView>
      {mustType && acting > 0 && (
        <TextField
          label={t.typeCount(number(acting))}
          required
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {isSetChanged && (
        <div role="alert">
          <p>{t.setChanged}</p>
          <Button icon="refresh" onClick={previewAgain}>
            {t.previewAgain}
          </Button>
        </div>
      )}
    </FormDialog>
  )
}
