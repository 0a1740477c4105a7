import styles from './status-mark.module.css'

export type Tone = 'good' | 'idle' | 'busy' | 'warn' | 'bad'

/** Each tone has its own shape, because colour alone is not accessible. */
const shapes = {
  good: <circle cx="5" cy="5" r="3" fill="currentColor" />,
  idle: <circle cx="5" cy="5" r="3.3" />,
  busy: (
    <>
      <circle cx="5" cy="5" r="3.3" />
      <path d="M5 1.7a3.3 3.3 0 0 1 0 6.6z" fill="currentColor" />
    </>
  ),
  warn: <circle cx="5" cy="5" r="3.6" strokeDasharray="3.4 2.25" strokeWidth="1.6" />,
  bad: <path d="M5 1.8L8.6 8.2H1.4z" fill="currentColor" strokeLinejoin="round" />,
} as const satisfies Record<Tone, unknown>

/** The colour of a tone, for charts. */
export const toneColour = (tone: Tone): string => `var(--${tone})`

/** Stands before a text. */
export function StatusShape({ tone }: { readonly tone: Tone }) {
  return (
    <svg
      className={styles.shape}
      style={{ color: toneColour(tone) }}
      width="10"
      height="10"
      viewBox="0 0 10 10"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[tone]}
    </svg>
  )
}

interface Props {
  readonly tone: Tone
  readonly children: string
  /** A muted text after it. Left out where the line has no room for it. */
  readonly note?: string | undefined
}

/** The shape and the word of a state. */
export function StatusMark({ tone, children, note }: Props) {
  return (
    <span className={styles.status}>
      <span>
        <StatusShape tone={tone} />
        {children}
      </span>
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </span>
  )
}
