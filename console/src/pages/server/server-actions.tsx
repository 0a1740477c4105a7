import type { Server } from '@muster/contract'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { ServerActionButtons } from '../../actions/server-action-buttons.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from './copy-button.tsx'
import type { TabName } from './tabs.ts'
import styles from './server.module.css'
import { useTagReason } from './use-tag-reason.ts'
import { Icon } from '../../ui/icon.tsx'
import { awsConsoleUrl } from './aws-console-url.ts'

interface Props {
  readonly server: Server
  readonly isSyncing: boolean
  readonly onSync: () => void
  /** Opens a tab where tabs are not routes. */
  readonly onTab?: ((tab: TabName) => void) | undefined
}

export function ServerActions({ server, isSyncing, onSync, onTab }: Props) {
  const { server: t } = useMessages()
  const navigate = useNavigate()
  const router = useRouter()
  const { reason } = usePermission('syncServer')
  const tagReason = useTagReason(server)
  const { id } = server
  const link = router.buildLocation({ to: '/servers/$id', params: { id } })
  const toTags = () =>
    onTab ? onTab('tags') : void navigate({ to: '/servers/$id/$tab', params: { id, tab: 'tags' } })
  return (
    <div className={styles.actions}>
      {!server.deleted && <ServerActionButtons server={server} />}
      <Button
        small
        icon="refresh"
        busy={isSyncing}
        disabledReason={server.deleted ? t.deletedReason : reason}
        onClick={onSync}
      >
        {t.sync}
      </Button>
      <Button small icon="edit" disabledReason={tagReason} onClick={toTags}>
        {t.editTags}
      </Button>
      <CopyButton value={`${location.origin}${router.history.createHref(link.publicHref)}`}>
        {t.copyLink}
      </CopyButton>
      <SourceLink server={server} />
    </div>
  )
}

/** A link to the server in the provider's own console. */
function SourceLink({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const url = awsConsoleUrl(server)
  if (url === undefined) return null
  if (server.is_emulated) {
    return (
      <Button small icon="external" disabledReason={t.simulated}>
        {t.openInAws}
      </Button>
    )
  }
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className={buttonClass(undefined, true)}
    >
      <Icon name="external" />
      {t.openInAws}
    </a>
  )
}
