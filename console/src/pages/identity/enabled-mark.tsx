import { useText } from '../../text/use-text.ts'
import { StatusMark } from '../../ui/status-mark.tsx'

export function EnabledMark({ enabled }: { readonly enabled: boolean }) {
  const t = useText()
  return (
    <StatusMark tone={enabled ? 'good' : 'idle'}>
      {enabled ? t.common.enabled : t.common.disabled}
    </StatusMark>
  )
}
