import { ApiError } from '@muster/sdk'
import { useId, useState } from 'react'
import type { Row } from '../../servers/row.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Table } from '../../ui/table.tsx'
import { useBulk, type BulkAction } from './use-bulk.ts'

interface Props {
  readonly kind: BulkAction['kind']
  readonly rows: readonly Row[]
  readonly onClose: () => void
}

/** Runs an action on several servers and shows its progress. */
export function BulkDialog({ kind, rows, onClose }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const formId = useId()
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [isRemoved, setRemoved] = useState(false)
  const { results, error, isRunning, isOver, start, stop } = useBulk(rows)
  // A running action is stopped first, so that its result stays visible.
  const leave = isRunning ? stop : onClose

  const failures = results.filter((result) => result.error !== undefined)
  const [done, all] = [number(results.length), number(rows.length)]
  const isStopped = isOver && results.length < rows.length
  return (
    <Dialog
      title={kind === 'tag' ? t.servers.tagSelected : t.servers.syncSelected}
      onClose={leave}
      footer={
        isOver ? (
          <Button look="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        ) : (
          <>
            <Button onClick={leave}>{isRunning ? t.servers.stopBulk : t.common.cancel}</Button>
            <Button look="primary" type="submit" form={formId} busy={isRunning}>
              {t.servers.applyTo(all)}
            </Button>
          </>
        )
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          start(kind === 'sync' ? { kind } : { kind, key, value: isRemoved ? '' : value })
        }}
      >
        {kind === 'tag' && (
          <>
            <TextField
              label={t.servers.tagKey}
              required
              autoFocus
              readOnly={isRunning || isOver}
              maxLength={128}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            {!isRemoved && (
              <TextField
                label={t.servers.tagValue}
                required
                readOnly={isRunning || isOver}
                maxLength={1024}
                value={value}
                onChange={(event) => setValue(event.target.value)}
              />
            )}
            <CheckField
              label={t.servers.removeTag}
              checked={isRemoved}
              disabledReason={isRunning || isOver ? t.servers.bulkStarted : undefined}
              onChange={(event) => setRemoved(event.target.checked)}
            />
          </>
        )}
      </form>
      {(isRunning || isOver) && (
        <p role="status">
          {isStopped
            ? t.servers.bulkStopped(done, all)
            : t.servers.bulkProgress(done, all, number(failures.length))}
        </p>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {failures.length > 0 && (
        <Table
          caption={t.servers.failures}
          rows={failures}
          rowKey={({ row }) => row.id}
          columns={[
            {
              key: 'name',
              title: t.common.name,
              cell: ({ row }) => <bdi>{row.name ?? row.id}</bdi>,
            },
            {
              key: 'problem',
              title: t.servers.problem,
              cell: (failure) => (
                <StatusMark tone="bad">
                  {failure.error instanceof ApiError ? failure.error.details : t.errors.unreachable}
                </StatusMark>
              ),
            },
          ]}
        />
      )}
    </Dialog>
  )
}
