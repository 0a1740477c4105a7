import type { EventDto } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { Kind } from '../../api/kind-operations.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { EntityLink } from '../identity/entity-link.tsx'
import styles from './activity.module.css'

const kindOf: Readonly<Record<string, Kind>> = {
  project: 'projects',
  user: 'users',
  group: 'groups',
  role: 'roles',
  policy: 'policies',
  domain: 'domains',
}

/** What it was done to, with a link where that has a page. */
export function EventTarget({ event }: { readonly event: EventDto }) {
  const t = useMessages()
  const { target_type: type, target_id: id, target_name: name } = event
  const kind = kindOf[type]
  const label = name === '' ? id : name
  return (
    <span className={styles.target}>
      <span className={styles.soft}>{t.activity.types[type] ?? type}</span>{' '}
      {id === '' ? (
        label
      ) : kind ? (
        <EntityLink kind={kind} id={id}>
          {label}
        </EntityLink>
      ) : type === 'server' ? (
        <Link to="/servers/$id" params={{ id }}>
          {label}
        </Link>
      ) : type === 'cloudaccount' ? (
        <Link to="/accounts/$id" params={{ id }}>
          {label}
        </Link>
      ) : (
        label
      )}
    </span>
  )
}
