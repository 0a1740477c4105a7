import { useFormat } from '../messages/use-format.ts'
import { Highlight } from '../ui/highlight.tsx'
import { shareOf } from './scale.ts'
import { ServersLink } from './servers-link.tsx'
import styles from './stacked-bars.module.css'

interface Part {
  readonly key: string
  readonly count: number
  readonly q: string | undefined
  readonly description: string
  readonly colour: string
}

interface Stack {
  readonly key: string
  readonly label: string
  readonly count: number
  readonly q: string | undefined
  readonly description: string
  /** One per kind, in the same order. */
  readonly parts: readonly Part[]
}

interface Props {
  /** The names and colours of the parts. */
  readonly kinds: readonly {
    readonly name: string
    /** A text under the name. */
    readonly note: string | undefined
    readonly colour: string
  }[]
  readonly stacks: readonly Stack[]
}

/** Stacked bars. Each part links to its servers. */
export function StackedBars({ kinds, stacks }: Props) {
  const { number } = useFormat()
  const most = Math.max(0, ...stacks.map(({ count }) => count))
  const columns = {
    gridTemplateColumns: `minmax(56px, 3fr) repeat(${kinds.length}, minmax(36px, 1fr))`,
  }
  return (
    <div>
      <div className={styles.figures} style={columns} aria-hidden="true">
        <span />
        {kinds.map(({ name, note, colour }) => (
          <span
            key={name}
            className={styles.kind}
            title={name}
            style={{ borderBlockEndColor: colour }}
          >
            {name}
            {note !== undefined && <span className={styles.note}>{note}</span>}
          </span>
        ))}
      </div>
      <ul>
        {stacks.map((stack) => (
          <li key={stack.key} className={styles.stack}>
            <div className={styles.figures} style={columns}>
              <ServersLink q={stack.q} className={styles.label} title={stack.description}>
                {stack.label}
              </ServersLink>
              {stack.parts.map((part) => (
                <Figure key={part.key} part={part} shown={number(part.count)} />
              ))}
            </div>
            <div
              className={styles.bar}
              style={{ inlineSize: shareOf(stack.count, most) }}
              aria-hidden="true"
            >
              {stack.parts.map(
                (part) =>
                  part.count > 0 && (
                    <ServersLink
                      key={part.key}
                      q={part.q}
                      className={styles.part}
                      style={{ flexGrow: part.count, background: part.colour }}
                      title={part.description}
                      tabIndex={-1}
                    />
                  ),
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Figure({ part, shown }: { readonly part: Part; readonly shown: string }) {
  if (part.count === 0) return <span className={`${styles.figure} ${styles.none}`}>{shown}</span>
  return (
    <ServersLink q={part.q} className={styles.figure} title={part.description}>
      <Highlight value={shown} />
      <span className="visuallyHidden"> · {part.description}</span>
    </ServersLink>
  )
}
