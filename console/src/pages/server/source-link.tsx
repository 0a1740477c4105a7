import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { awsConsoleUrl } from './aws-console-url.ts'

/** The way to the server where it really is, for those sources that have a page for it. */
export function SourceLink({ server }: { readonly server: Server }) {
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
