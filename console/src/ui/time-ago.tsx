import { useFormat } from '../messages/use-format.ts'
import { useNow } from './use-now.ts'

interface Props {
  /** As the API writes it; null where it never happened. */
  readonly time: string | null | undefined
  readonly never?: string
}

/** "3 minutes ago", with the exact moment for those who point at it. */
export function TimeAgo({ time, never = '–' }: Props) {
  const { ago, dateTime } = useFormat()
  const now = useNow()
  if (time === null || time === undefined || time === '') return <>{never}</>
  return (
    <time dateTime={time} title={`${dateTime(time)} · ${time}`}>
      {ago(time, now)}
    </time>
  )
}
