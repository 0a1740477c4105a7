import { isApiError } from '@muster/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormDialog } from '../form/form-dialog.tsx'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { PreviewGroups } from './preview-groups.tsx'
import { countActing, type PreviewItem } from './server-action.ts'

interface Props<Preview> {
  readonly title: string
  /** The text of the button, for so many servers. */
  readonly submit: (acting: number) => string
  readonly danger?: boolean
  readonly dryRun: UseQueryResult<Preview>
  readonly start: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly mutate: (preview: Preview) => void
    readonly reset: () => void
  }
  /** Why it cannot start, although the preview is complete. */
  readonly whyNot?: string | undefined
  readonly onPreviewAgain?: () => void
  readonly onClose: () => void
  readonly children: ReactNode
  /** Below the preview. */
  readonly confirmation?: ReactNode
}

/** Shows what a request about many servers would do, then sends it for exactly these servers. */
export function PreviewDialog<Preview extends { readonly items: readonly PreviewItem[] }>(
  props: Props<Preview>,
) {
  const { title, submit, danger, dryRun, start, whyNot, onClose, children, confirmation } = props
  const { actions: t } = useMessages()
  const { data: preview } = dryRun
  const isSetChanged = isApiError(start.error, 'ConflictError')
  const acting = preview ? countActing(preview.items) : 0

  function disabledReason(): string | undefined {
    if (!preview || dryRun.isFetching || isSetChanged) return t.previewOutdated
    return acting === 0 ? t.nothingToDo : whyNot
  }

  function previewAgain(): void {
    start.reset()
    props.onPreviewAgain?.()
    void dryRun.refetch()
  }

  return (
    <FormDialog
      title={title}
      submit={submit(acting)}
      danger={danger ?? false}
      busy={start.isPending}
      error={isSetChanged ? null : start.error}
      disabledReason={disabledReason()}
      onSubmit={() => preview && start.mutate(preview)}
      onClose={onClose}
    >
      {children}
      <QueryView query={dryRun}>
        {({ items }) => <PreviewGroups label={t.preview} items={items} />}
      </QueryView>
      {acting > 0 && confirmation}
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
