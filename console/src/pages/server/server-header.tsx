import type { Server } from '@muster/contract'
import type { ReactNode } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { FailedTask } from '../../servers/failed-task.tsx'
import { groupOfStatus, statusTone } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { Highlight } from '../../ui/highlight.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { ChangeStrip } from './change-strip.tsx'
import { ServerSummary } from './server-summary.tsx'
import styles from './server.module.css'

interface Props {
  readonly server: Server
  /** The name as a heading. */
  readonly title: ReactNode
  readonly actions: ReactNode
}

/** What a server is, whose, where, how it is, and what changed lately. */
export function ServerHeader({ server, title, actions }: Props) {
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        {title}
        <ServerStatus server={server} />
        <FailedTask server={server} long />
        {actions}
      </div>
      <ServerSummary server={server} />
      <ChangeStrip server={server} />
      <Fate server={server} />
    </header>
  )
}

/** The status, and why it is unknown or failed. */
function ServerStatus({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const names = useValueNames()
  const { status, metadata, host_service_status: answering } = server
  const { 'sys:source_status': sourceStatus = '' } = metadata
  const group = groupOfStatus(status)
  const isUnknown = group === 'unknown'
  const reason =
    isUnknown && answering === 'offline'
      ? t.sourceSilent
      : (isUnknown || group === 'failed') && sourceStatus !== ''
        ? t.sourceSays(sourceStatus)
        : isUnknown && t.statusUnknown
  return (
    <Highlight value={status}>
      <span className={styles.status}>
        <StatusMark tone={statusTone(status)}>{names.name('status', status)}</StatusMark>
        {reason !== false && <span className={styles.soft}>· {reason}</span>}
      </span>
    </Highlight>
  )
}

/** A note that a server is deleted or in the recycle bin. */
function Fate({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { dateTime } = useFormat()
  const { deleted, pending_deleted: isInBin, auto_delete_at: end } = server
  if (!deleted && !isInBin) return null
  return (
    <div className={styles.fate} role="note">
      <strong>{deleted ? t.gone : t.inRecycleBin}</strong>{' '}
      {deleted ? t.goneText : end !== null && t.inRecycleBinText(dateTime(end))}
    </div>
  )
}
