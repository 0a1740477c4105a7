import type { CheckSeverity } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'

const tones: Readonly<Record<CheckSeverity, Tone>> = {
  critical: 'bad',
  warning: 'warn',
  info: 'idle',
}

export function Severity({ severity }: { readonly severity: CheckSeverity }) {
  const { values } = useMessages()
  return <StatusMark tone={tones[severity]}>{values.severities[severity]}</StatusMark>
}
