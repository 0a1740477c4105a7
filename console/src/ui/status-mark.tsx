import styles from './status-mark.module.css'

export type Tone = 'good' | 'idle' | 'busy' | 'warn' | 'bad'

/** Each tone has its own shape, because colour alone is not accessible. */
const shapes: Readonly<Record<Tone, string>> = {
  good: '●',
  idle: '○',
  busy: '◐',
  warn: '◌',
  bad: '▲',
}

/** The colour of a tone, for charts. */
export const toneColour = (tone: Tone): string => `var(--${tone})`

interface Props {
  readonly tone: Tone
  readonly children: string
  /** A muted text after it. Left out where the line has no room for it. */
  readonly note?: string | undefined
}

export function StatusMark({ tone, children, note }: Props) {
  return (
    <span className={`${styles.status} ${styles[tone]}`}>
      <span>
        <span className={styles.mark} aria-hidden="true">
          {shapes[tone]}
        </span>
        {children}
      </span>
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </span>
  )
}
