import { useMutation } from '@tanstack/react-query'
import type { ListState } from '../../servers/list-state.ts'
import { saveExport, type ExportKind } from '../../servers/save-export.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuHeading, MenuItem } from '../../ui/menu.tsx'
import { FailureDialog } from './failure-dialog.tsx'

interface Props {
  readonly state: ListState
  /** Undefined while they are being counted. */
  readonly total: number | undefined
}

/** Exports all matching servers with the visible columns. */
export function ExportMenu({ state, total }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const save = useMutation({ mutationFn: (kind: ExportKind) => saveExport(state, kind) })
  const kinds = { csv: 'CSV', json: 'JSON', ndjson: t.servers.jsonLines } as const
  return (
    <>
      <Menu
        label={t.servers.export}
        trigger={(properties) => (
          <Button icon="download" busy={save.isPending} {...properties}>
            {t.servers.export}
          </Button>
        )}
      >
        <MenuHeading>{t.servers.exportAll(total === undefined ? '…' : number(total))}</MenuHeading>
        {(['csv', 'json', 'ndjson'] as const).map((kind) => (
          <MenuItem key={kind} onSelect={() => save.mutate(kind)}>
            {kinds[kind]}
          </MenuItem>
        ))}
      </Menu>
      {save.isError && (
        <FailureDialog
          title={t.servers.export}
          error={save.error}
          onRetry={() => save.mutate(save.variables)}
          onClose={save.reset}
        />
      )}
    </>
  )
}
