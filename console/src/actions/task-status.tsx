import type { Batch, Task } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'

const tones: Readonly<Record<Task['status'] | Batch['status'], Tone>> = {
  queued: 'idle',
  running: 'busy',
  succeeded: 'good',
  finished: 'good',
  failed: 'bad',
  stopped: 'bad',
  cancelled: 'idle',
  unknown: 'warn',
}

/** The status of a task or a batch. */
export function TaskStatus({ status }: { readonly status: Task['status'] | Batch['status'] }) {
  const { tasks: t } = useMessages()
  return <StatusMark tone={tones[status]}>{t.statuses[status]}</StatusMark>
}
