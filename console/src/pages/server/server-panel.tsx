import { Link } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ServerView } from './server-view.tsx'
import styles from './server.module.css'
import { readTab } from './tabs.ts'
import { useShortcut } from '../../frame/use-shortcut.ts'

interface Props {
  readonly id: string
  readonly tab: string
  readonly onTab: (tab: string) => void
  readonly onClose: () => void
}

/** A server in a panel beside the list. The focus stays in the list. */
export function ServerPanel({ id, tab, onTab, onClose }: Props) {
  const { server: t } = useMessages()
  const part = readTab(tab)
  useShortcut('Escape', onClose)
  return (
    <aside className={styles.panel} aria-label={t.title}>
      <div className={styles.panelBar}>
        <Link
          to="/servers/$id/$tab"
          params={{ id, tab: part }}
          preload={false}
          className={buttonClass('quiet', true)}
        >
          <Icon name="external" />
          {t.openPage}
        </Link>
        <Button look="quiet" small icon="close" label={t.closePanel} onClick={onClose} />
      </div>
      <ServerView
        key={id}
        id={id}
        tab={part}
        onTab={onTab}
        title={(name) => (
          <h2>
            <bdi>{name}</bdi>
          </h2>
        )}
      />
    </aside>
  )
}
