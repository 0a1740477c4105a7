import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'

export function EnabledMark({ enabled }: { readonly enabled: boolean }) {
  const t = useMessages()
  return (
    <StatusMark tone={enabled ? 'good' : 'idle'}>
      {enabled ? t.common.enabled : t.common.disabled}
    </StatusMark>
  )
}
