import { Link, useParams } from '@tanstack/react-router'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { PageTitle } from '../../ui/page-title.tsx'
import { ServerView } from './server-view.tsx'
import styles from './server.module.css'
import { readTab } from './tabs.ts'

/** A server on a page of its own. */
export function ServerPage() {
  const { server: t } = useMessages()
  const { id = '', tab } = useParams({ strict: false })
  return (
    <div className={styles.page}>
      <div className={styles.crumbs}>
        <Link to="/servers">
          <span aria-hidden="true">← </span>
          {t.allServers}
        </Link>
      </div>
      <PastNotice />
      <ServerView
        key={id}
        id={id}
        tab={readTab(tab)}
        title={(name) => <PageTitle>{name}</PageTitle>}
      />
    </div>
  )
}
