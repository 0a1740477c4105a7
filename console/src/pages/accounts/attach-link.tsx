import { Link } from '@tanstack/react-router'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** A link to attach an account; disabled without permission. */
export function AttachLink() {
  const t = useMessages()
  const { reason } = usePermission('createCloudAccount')
  if (reason !== undefined) {
    return (
      <Button icon="plus" disabledReason={reason}>
        {t.accounts.attach}
      </Button>
    )
  }
  return (
    <Link to="/accounts/new" className={buttonClass('primary')}>
      <Icon name="plus" />
      {t.accounts.attach}
    </Link>
  )
}
