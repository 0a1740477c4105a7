import type { BatchPreview } from '@muster/contract'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark, type Tone } from '../ui/status-mark.tsx'
import { groupPreview, type PreviewGroup } from './server-action.ts'
import styles from './actions.module.css'

const tones: Readonly<Record<PreviewGroup['outcome'], Tone>> = {
  act: 'good',
  already: 'idle',
  refused: 'bad',
}

/** How many servers would change, and why the others would not. */
export function PreviewGroups({ items }: Pick<BatchPreview, 'items'>) {
  const { actions: t } = useMessages()
  const { number } = useFormat()
  return (
    <ul className={styles.groups} aria-label={t.preview}>
      {groupPreview(items).map(({ outcome, reason, servers }) => (
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
