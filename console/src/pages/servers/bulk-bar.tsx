import { useState } from 'react'
import { copyText } from '../../browser/copy-text.ts'
import type { Row } from '../../servers/row.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import styles from './bulk-bar.module.css'
import { BulkDialog } from './bulk-dialog.tsx'
import type { BulkAction } from './use-bulk.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly onClear: () => void
}

/** Actions on the selected servers. */
export function BulkBar({ rows, onClear }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const canTag = usePermission('mergeServerMetadata')
  const canSync = usePermission('syncServer')
  const [action, setAction] = useState<BulkAction['kind']>()
  return (
    <div className={styles.bar} role="region" aria-label={t.servers.selection}>
      <span role="status">{t.servers.selected(number(rows.length))}</span>
      <Button small icon="edit" disabledReason={canTag.reason} onClick={() => setAction('tag')}>
        {t.servers.tagSelected}
      </Button>
      <Button
        small
        icon="refresh"
        disabledReason={canSync.reason}
        onClick={() => setAction('sync')}
      >
        {t.servers.syncSelected}
      </Button>
      <Button small icon="copy" onClick={() => void copyText(rows.map(({ id }) => id).join('\n'))}>
        {t.servers.copyIds}
      </Button>
      <Button small look="quiet" icon="close" onClick={onClear}>
        {t.servers.clearSelection}
      </Button>
      {action && <BulkDialog kind={action} rows={rows} onClose={() => setAction(undefined)} />}
    </div>
  )
}
