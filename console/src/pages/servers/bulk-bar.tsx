import { useState } from 'react'
import { copyText } from '../../browser/copy-text.ts'
import type { Row } from '../../servers/stable-pages.ts'
import { useMay } from '../../session/use-may.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import styles from './bulk-bar.module.css'
import { BulkDialog } from './bulk-dialog.tsx'
import type { BulkDeed } from './use-bulk.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly onClear: () => void
}

/** What can be done with the servers that are ticked. */
export function BulkBar({ rows, onClear }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const mayTag = useMay('mergeServerMetadata')
  const maySync = useMay('syncServer')
  const [deed, setDeed] = useState<BulkDeed['kind']>()
  return (
    <div className={styles.bar} role="region" aria-label={t.servers.selection}>
      <span role="status">{t.servers.selected(number(rows.length))}</span>
      <Button small icon="edit" disabledReason={mayTag.reason} onClick={() => setDeed('tag')}>
        {t.servers.tagSelected}
      </Button>
      <Button small icon="refresh" disabledReason={maySync.reason} onClick={() => setDeed('sync')}>
        {t.servers.syncSelected}
      </Button>
      <Button small icon="copy" onClick={() => void copyText(rows.map(({ id }) => id).join('\n'))}>
        {t.servers.copyIds}
      </Button>
      <Button small look="quiet" icon="close" onClick={onClear}>
        {t.servers.clearSelection}
      </Button>
      {deed && <BulkDialog kind={deed} rows={rows} onClose={() => setDeed(undefined)} />}
    </div>
  )
}
