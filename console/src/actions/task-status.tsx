import type { Batch, Task } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'
import { statusOf, type ShownStatus } from './status-of.ts'

const tones: Readonly<Record<ShownStatus, Tone>> = {
  queued: 'idle',
  running: 'busy',
  succeeded: 'good',
  finished: 'good',
  partly: 'bad',
  failed: 'bad',
  stopped: 'bad',
  cancelled: 'idle',
  unknown: 'warn',
  // Nothing was tried, so nothing failed.
  refused: 'warn',
}

/** The status of a task or a batch. */
export function TaskStatus({ of }: { readonly of: Task | Batch }) {
  const { tasks: t } = useMessages()
  const status = statusOf(of)
  return <StatusMark tone={tones[status]}>{t.statuses[status]}</StatusMark>
}
