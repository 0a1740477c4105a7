import { useBinSpan } from '../../actions/use-bin-span.ts'
import { useMessages } from '../../messages/use-messages.ts'
import {
  FailingAccounts,
  useAttachedAccounts,
  WaitingAccounts,
} from '../../servers/attached-accounts.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { AttachLink } from '../accounts/attach-link.tsx'

interface Props {
  /** The query without matches. */
  readonly q: string
  readonly isBin: boolean
  readonly onClear: () => void
  readonly onLeaveBin: () => void
}

/** The empty list: no match for the filter, or no servers at all. */
export function NoServers({ q, isBin, onClear, onLeaveBin }: Props) {
  const t = useMessages()
  const binSpan = useBinSpan()
  const { count } = useAttachedAccounts()
  if (q !== '') {
    return (
      <EmptyState
        title={t.servers.noMatch}
        actions={
          <Button look="primary" onClick={onClear}>
            {t.servers.clearFilter}
          </Button>
        }
      >
        {t.servers.noMatchText} <code>{q}</code>
      </EmptyState>
    )
  }
  if (isBin) {
    return (
      <EmptyState
        title={t.actions.binEmpty}
        actions={<Button onClick={onLeaveBin}>{t.actions.leaveBin}</Button>}
      >
        {t.actions.binEmptyText(binSpan)}
      </EmptyState>
    )
  }
  if (count === 0) {
    return (
      <EmptyState title={t.servers.none} actions={<AttachLink />}>
        {t.servers.noneText}
      </EmptyState>
    )
  }
  return (
    <EmptyState title={t.servers.none}>
      <FailingAccounts />
      <WaitingAccounts />
    </EmptyState>
  )
}
