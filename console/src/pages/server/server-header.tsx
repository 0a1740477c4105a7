import type { Server } from '@muster/contract'
import type { ReactNode } from 'react'
import { statusTone } from '../../servers/status.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { MissingValue } from './missing-value.tsx'
import { FilterLink } from './filter-link.tsx'
import { Flash } from './flash.tsx'
import { ServerAge } from './server-age.tsx'
import styles from './server.module.css'

interface Props {
  readonly server: Server
  /** The name, as the heading that fits where it stands. */
  readonly title: ReactNode
  readonly actions: ReactNode
}

/** What it is, whose, where, how it is, and how old this is. */
export function ServerHeader({ server, title, actions }: Props) {
  const { server: t } = useMessages()
  const { status } = server
  const names = useValueNames()
  const word = names.apiWord('status', status)
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        {title}
        <Flash of={status}>
          <span className={styles.status}>
            <StatusMark tone={statusTone(status)}>{names.name('status', status)}</StatusMark>
            {word !== undefined && <span className={styles.soft}>({word})</span>}
            {status === 'unknown' && <span className={styles.soft}>· {t.statusUnknown}</span>}
          </span>
        </Flash>
        {actions}
      </div>
      <dl className={styles.summary}>
        <Entry label={t.id}>
          <Copyable value={server.id} />
        </Entry>
        <Entry label={t.owner}>
          <Trail
            steps={[
              ['project', server.project],
              ['domain', server.project_domain],
            ]}
          />
        </Entry>
        <Entry label={t.where}>
          <Trail
            steps={[
              ['provider', server.provider],
              ['account', server.account],
              ['region', server.region],
              ['zone', server.zone],
            ]}
          />
        </Entry>
        <Entry label={t.age}>
          <ServerAge server={server} />
        </Entry>
      </dl>
      <Fate server={server} />
    </header>
  )
}

function Entry({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={styles.entry}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** From the wide to the narrow, each step a filter; what is not known is left out. */
function Trail({ steps }: { readonly steps: readonly (readonly [string, string])[] }) {
  const known = steps.filter(([, value]) => value !== '')
  if (known.length === 0) return <MissingValue is="unknown" />
  return known.map(([name, value], index) => (
    <span key={name}>
      {index > 0 && <span className={styles.soft}> · </span>}
      <FilterLink name={name} value={value} />
    </span>
  ))
}

/** Said where a server is on its way out, or gone. */
function Fate({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { dateTime } = useFormat()
  const { deleted, pending_deleted: isInBin, auto_delete_at: end } = server
  if (!deleted && !isInBin) return null
  return (
    <div className={styles.fate} role="note">
      <strong>{deleted ? t.gone : t.inBin}</strong>{' '}
      {deleted ? t.goneText : end !== null && t.inBinText(dateTime(end))}
    </div>
  )
}
