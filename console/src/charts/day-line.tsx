import { useRef, useState } from 'react'
import { useFormat } from '../messages/use-format.ts'
import { dayTicks } from './day-ticks.ts'
import type { Day } from './day.ts'
import { DayLinePlot } from './day-line-plot.tsx'
import styles from './day-line.module.css'
import { positionOn, scaleFor } from './scale.ts'
import { ServersLink } from './servers-link.tsx'

const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`

/** How far each key goes; the ends are further than any chart is long. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -7,
  PageDown: 7,
  Home: -Infinity,
  End: Infinity,
}

/** A line over days. All days are links but one stop of the keyboard: arrows lead from day to day. */
export function DayLine({
  days,
  label,
}: {
  readonly days: readonly Day[]
  readonly label: string
}) {
  const { day: dayText, short } = useFormat()
  const [chosen, setChosen] = useState<number | undefined>()
  const list = useRef<HTMLUListElement>(null)
  const last = days.length - 1
  const at = Math.min(chosen ?? last, last)
  const shown = days[at]
  if (!shown) return null
  const scale = scaleFor(
    days.map(({ count }) => count),
    4,
  )
  const left = (index: number) => (index + 0.5) / days.length
  const goTo = (index: number) => {
    setChosen(index)
    list.current?.children[index]?.querySelector('a')?.focus()
  }
  return (
    <div className={styles.chart}>
      <p className={styles.readout} aria-hidden="true">
        {shown.words}
      </p>
      <div className={styles.plot} onMouseLeave={() => setChosen(undefined)}>
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            className={styles.tick}
            style={{ insetBlockEnd: percent(positionOn(scale, tick)) }}
          >
            {short(tick)}
          </span>
        ))}
        <div className={styles.field}>
          <DayLinePlot days={days} scale={scale} />
          <span
            className={styles.dot}
            style={{
              insetInlineStart: percent(left(at)),
              insetBlockEnd: percent(positionOn(scale, shown.count)),
            }}
          />
          <ul ref={list} className={styles.days} aria-label={label}>
            {days.map(({ date, q, words }, index) => (
              <li
                key={date}
                onMouseEnter={() => setChosen(index)}
                onFocus={() => setChosen(index)}
                onKeyDown={(event) => {
                  const step = steps[event.key]
                  if (step === undefined) return
                  event.preventDefault()
                  goTo(Math.max(0, Math.min(last, index + step)))
                }}
              >
                <ServersLink
                  q={q}
                  className={styles.day}
                  title={words}
                  tabIndex={index === at ? 0 : -1}
                >
                  <span className="visuallyHidden">{words}</span>
                </ServersLink>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div className={styles.dates} aria-hidden="true">
        {dayTicks(
          days.map(({ date }) => date),
          4,
        ).map((index) => (
          <span key={index} style={{ insetInlineStart: percent(left(index)) }}>
            {dayText(days[index]?.date ?? '')}
          </span>
        ))}
      </div>
    </div>
  )
}
