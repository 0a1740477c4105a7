import type { CheckSeverity } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'

/** The colour and shape of a violated check. */
export const severityTones: Readonly<Record<CheckSeverity, Tone>> = {
  critical: 'bad',
  warning: 'warn',
  info: 'idle',
}

export function Severity({ severity }: { readonly severity: CheckSeverity }) {
  const { values } = useMessages()
  return <StatusMark tone={severityTones[severity]}>{values.severities[severity]}</StatusMark>
}
