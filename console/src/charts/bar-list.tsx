import { useFormat } from '../messages/use-format.ts'
import styles from './bar-list.module.css'
import { FreshNumber } from './fresh-number.tsx'
import type { Bar } from './rank.ts'
import { shareOf } from './scale.ts'
import { ServersLink } from './servers-link.tsx'

export interface LabelledBar extends Bar {
  readonly label: string
  /** In words, for who points at it or hears it. */
  readonly words: string
  readonly isRest?: boolean
  /** The chart's own colour unless given. */
  readonly colour?: string
}

/** Bars under each other, each a link, with its name and its number in text. */
export function BarList({ bars }: { readonly bars: readonly LabelledBar[] }) {
  const { number } = useFormat()
  // The rest is no value beside the others: its bar would only make theirs short.
  const most = Math.max(0, ...bars.map(({ count, isRest }) => (isRest ? 0 : count)))
  return (
    <ul className={styles.list}>
      {bars.map(({ key, label, words, count, q, isRest, colour }) => (
        <li key={key}>
          <ServersLink q={q} className={styles.row} title={words}>
            <span className={styles.label}>{label}</span>
            <span aria-hidden="true">
              {!isRest && (
                <span
                  className={styles.bar}
                  style={{ inlineSize: shareOf(count, most), background: colour }}
                />
              )}
            </span>
            <span className={styles.count}>
              <FreshNumber>{number(count)}</FreshNumber>
            </span>
          </ServersLink>
        </li>
      ))}
    </ul>
  )
}
