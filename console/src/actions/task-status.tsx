import type { Batch, Task } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'

type Shown = Task['status'] | Batch['status'] | 'refused'

const tones: Readonly<Record<Shown, Tone>> = {
  queued: 'idle',
  running: 'busy',
  succeeded: 'good',
  finished: 'good',
  failed: 'bad',
  stopped: 'bad',
  cancelled: 'idle',
  unknown: 'warn',
  // Nothing was tried, so nothing failed.
  refused: 'warn',
}

/** A task that never began is refused, as its batch counts it. */
export const statusOf = (of: Task | Batch): Shown =>
  'stage' in of && of.stage === 'refused' ? 'refused' : of.status

/** The status of a task or a batch. */
export function TaskStatus({ of }: { readonly of: Task | Batch }) {
  const { tasks: t } = useMessages()
  const status = statusOf(of)
  return <StatusMark tone={tones[status]}>{t.statuses[status]}</StatusMark>
}
