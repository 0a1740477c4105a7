import { useFormat } from '../messages/use-format.ts'
import styles from './bar-list.module.css'
import { Highlight } from '../ui/highlight.tsx'
import type { Bar } from './rank.ts'
import { shareOf } from './scale.ts'
import { ServersLink } from './servers-link.tsx'

export interface LabelledBar extends Bar {
  readonly label: string
  /** A description for tooltips and screen readers. */
  readonly description: string
  readonly isRest?: boolean
  /** The chart's own colour unless given. */
  readonly colour?: string
}

/** A bar chart with links. */
export function BarList({ bars }: { readonly bars: readonly LabelledBar[] }) {
  const { number } = useFormat()
  // The rest has no bar: it would make the others too short.
  const most = Math.max(0, ...bars.map(({ count, isRest }) => (isRest ? 0 : count)))
  return (
    <ul className={styles.list}>
      {bars.map(({ key, label, description, count, q, isRest, colour }) => (
        <li key={key}>
          <ServersLink q={q} className={styles.row} title={description}>
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
              <Highlight value={number(count)} />
            </span>
          </ServersLink>
        </li>
      ))}
    </ul>
  )
}
