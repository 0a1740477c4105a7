import type { Server } from '@muster/contract'
import { statusTone } from '../../servers/status.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './server.module.css'

/** A stopped server keeps its last known addresses, which may be reused by now. */
export function isLastKnown({ status, ips, eip }: Server): boolean {
  const tone = statusTone(status)
  const runs = tone === 'good' || tone === 'busy'
  return !runs && (ips !== '' || eip !== '')
}

export function LastKnownNote({ server }: { readonly server: Server }) {
  const t = useMessages()
  if (!isLastKnown(server)) return null
  return (
    <p className={styles.note}>
      <Icon name="info" size={14} />
      {t.server.lastKnown}
    </p>
  )
}
