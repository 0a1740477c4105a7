import { useFormat } from '../messages/use-format.ts'
import { describeRefusal } from '../messages/describe-problem.ts'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'
import { groupPreview, type PreviewItem } from './server-action.ts'
import styles from './actions.module.css'

const tones: Readonly<Record<PreviewItem['outcome'], Tone>> = {
  act: 'good',
  move: 'good',
  replace: 'warn',
  already: 'idle',
  refused: 'warn',
}

interface Props {
  readonly label: string
  readonly items: readonly PreviewItem[]
}

/** How many servers change, and why the others do not. */
export function PreviewGroups({ label, items }: Props) {
  const messages = useMessages()
  const { actions: t } = messages
  const worded = items.map((item) => ({
    ...item,
    reason: describeRefusal(messages, item) ?? item.reason,
  }))
  const { number } = useFormat()
  return (
    <ul className={styles.groups} aria-label={label}>
      {groupPreview(worded).map(({ outcome, reason, servers }) => (
        <li key={`${outcome} ${reason}`}>
          <details>
            <summary>
              <StatusMark tone={tones[outcome]}>
                {t.countOf(number(servers.length), t.outcomes[outcome])}
              </StatusMark>
              {reason !== '' && <span> · {reason}</span>}
            </summary>
            <p className={styles.names}>
              <bdi>{servers.join(', ')}</bdi>
            </p>
          </details>
        </li>
      ))}
    </ul>
  )
}
