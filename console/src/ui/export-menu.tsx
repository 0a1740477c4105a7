import { useMutation } from '@tanstack/react-query'
import type { ExportKind } from '../api/save-export.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import { FailureDialog } from './failure-dialog.tsx'
import { Menu, MenuHeading, MenuItem } from './menu.tsx'

interface Props {
  /** What is exported. */
  readonly heading: string
  readonly onExport: (kind: ExportKind) => Promise<void>
}

/** Saves all matches of a list as a file. */
export function ExportMenu({ heading, onExport }: Props) {
  const t = useMessages()
  const save = useMutation({ mutationFn: onExport })
  const kinds = { csv: 'CSV', json: 'JSON', ndjson: t.common.jsonLines } as const
  return (
    <>
      <Menu
        label={t.common.export}
        trigger={(properties) => (
          <Button icon="download" busy={save.isPending} {...properties}>
            {t.common.export}
          </Button>
        )}
      >
        <MenuHeading>{heading}</MenuHeading>
        {(['csv', 'json', 'ndjson'] as const).map((kind) => (
          <MenuItem key={kind} onSelect={() => save.mutate(kind)}>
            {kinds[kind]}
          </MenuItem>
        ))}
      </Menu>
      {save.isError && (
        <FailureDialog
          title={t.common.export}
          error={save.error}
          onRetry={() => save.mutate(save.variables)}
          onClose={save.reset}
        />
      )}
    </>
  )
}
