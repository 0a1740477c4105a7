import { useFormat } from '../messages/use-format.ts'
import { useNow } from './use-now.ts'

interface Props {
  /** The API's timestamp; null for never. */
  readonly time: string | null | undefined
  readonly never?: string
}

/** "3 minutes ago", with the exact time as a tooltip. */
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
