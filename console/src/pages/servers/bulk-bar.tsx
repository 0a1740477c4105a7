import type { ScopeParameter } from '@muster/contract'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState, type ReactNode } from 'react'
import { ActionButtons } from '../../actions/action-buttons.tsx'
import {
  apiAction,
  binActions,
  bulkMenuActions,
  mainActions,
  type ActionName,
} from '../../actions/server-action.ts'
import { actionOperations } from '../../api/act-on-server.ts'
import { copyText } from '../../browser/copy-text.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { Row } from '../../servers/row.ts'
import { usePermission, usePermissions } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { lazyPage } from '../lazy-page.ts'
import styles from './bulk-bar.module.css'
import { BulkDialog } from './bulk-dialog.tsx'
import type { BulkAction } from './use-bulk.ts'

const BatchDialog = lazyPage(() => import('../../actions/batch-dialog.tsx'), 'BatchDialog')

interface Props {
  readonly rows: readonly Row[]
  /** All servers that match a query, instead of the rows. */
  readonly all:
    | { readonly q: string; readonly scope: ScopeParameter; readonly count: number }
    | undefined
  readonly isBin: boolean
  readonly onClear: () => void
  /** More ways to select, after the number of selected servers. */
  readonly children: ReactNode
}

/** Actions on the selected servers. */
export function BulkBar({ rows, all, isBin, onClear, children }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const permissionFor = usePermissions()
  const canTag = usePermission('mergeServerMetadata')
  const canSync = usePermission('syncServer')
  const navigate = useNavigate()
  const [change, setChange] = useState<BulkAction['kind']>()
  const [action, setAction] = useState<ActionName>()
  const ids = rows.map(({ id }) => id)
  const onlyRows = all && t.actions.onlyRows
  const isComparable = ids.length >= 2 && ids.length <= 5
  return (
    <div className={styles.bar} role="region" aria-label={t.servers.selection}>
      <span role="status">
        {all ? t.actions.allSelected(number(all.count)) : t.servers.selected(number(rows.length))}
      </span>
      {children}
      <ActionButtons
        buttons={isBin ? binActions.slice(0, 1) : mainActions}
        items={isBin ? binActions.slice(1) : bulkMenuActions}
        isBatch
        whyNot={(name) => permissionFor(actionOperations[apiAction(name)]).reason}
        onAction={setAction}
      />
      <Button
        small
        icon="edit"
        disabledReason={onlyRows ?? canTag.reason}
        onClick={() => setChange('tag')}
      >
        {t.servers.tagSelected}
      </Button>
      <Button
        small
        icon="refresh"
        disabledReason={onlyRows ?? canSync.reason}
        onClick={() => setChange('sync')}
      >
        {t.servers.syncSelected}
      </Button>
      <Button
        small
        icon="columns"
        disabledReason={onlyRows ?? (isComparable ? undefined : t.past.servers.between)}
        onClick={() => void navigate({ to: '/compare', search: { ids: ids.join() } })}
      >
        {t.servers.compareSelected}
      </Button>
      <Button
        small
        icon="copy"
        disabledReason={onlyRows}
        onClick={() => void copyText(ids.join('\n'))}
      >
        {t.servers.copyIds}
      </Button>
      <Button small look="quiet" icon="close" onClick={onClear}>
        {t.servers.clearSelection}
      </Button>
      {change && <BulkDialog kind={change} rows={rows} onClose={() => setChange(undefined)} />}
      {action && (
        <Suspense>
          <BatchDialog
            name={action}
            target={all ? { q: all.q, scope: all.scope } : { ids }}
            listed={all ? all.count : rows.length}
            onClose={() => setAction(undefined)}
            onStarted={onClear}
          />
        </Suspense>
      )}
    </div>
  )
}
