import type { ServerAction } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useMessages } from '../messages/use-messages.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './cell.module.css'
import { failedAction } from './failed-action.ts'
import type { Row } from './row.ts'

interface Props {
  readonly server: Row
  /** Shows the text, too. */
  readonly long?: boolean
}

/** Marks a server whose last action did not succeed, with a link to its tasks. */
export function FailedTask({ server, long = false }: Props) {
  const { actions: t } = useMessages()
  const action = failedAction(server)
  if (action === undefined) return null
  const text = t.lastFailed(t.names[action as ServerAction] ?? action)
  return (
    <Link
      to="/servers/$id/$tab"
      params={{ id: server.id, tab: 'tasks' }}
      className={styles.failed}
      title={text}
      preload={false}
      // As in the other cells of a row, where there would be hundreds of tab stops.
      tabIndex={long ? undefined : -1}
    >
      <Icon name="warning" size={14} />
      <span className={long ? undefined : 'visuallyHidden'}>{text}</span>
    </Link>
  )
}
