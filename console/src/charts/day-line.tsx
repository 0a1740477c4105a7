import { useRef, useState } from 'react'
import { useFormat } from '../messages/use-format.ts'
import { dayTicks } from './day-ticks.ts'
import styles from './day-line.module.css'
import { positionOn, scaleFor, type Scale } from './scale.ts'
import { ServersLink } from './servers-link.tsx'
import { areaPath, linePath, splitRuns } from './line-path.ts'

const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`

/** How many days each key moves. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -7,
  PageDown: 7,
  Home: -Infinity,
  End: Infinity,
}

/** A line chart over days. Each day is a link; arrow keys move between days. */
export function DayLine({
  days,
  label,
}: {
  readonly days: readonly Day[]
  readonly label: string
}) {
  const { day: dayText, number } = useFormat()
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
        {shown.description}
      </p>
      <div className={styles.axis}>
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            className={styles.tick}
            style={{ insetBlockEnd: percent(positionOn(scale, tick)) }}
          >
            {number(tick)}
          </span>
        ))}
      </div>
      <div className={styles.field} onMouseLeave={() => setChosen(undefined)}>
        <DayLinePlot days={days} scale={scale} />
        <span
          className={styles.dot}
          style={{
            insetInlineStart: percent(left(at)),
            insetBlockEnd: percent(positionOn(scale, shown.count)),
          }}
        />
        <ul ref={list} className={styles.days} aria-label={label}>
          {days.map(({ date, q, description }, index) => (
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
                title={description}
                tabIndex={index === at ? 0 : -1}
              >
                <span className="visuallyHidden">{description}</span>
              </ServersLink>
            </li>
          ))}
        </ul>
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

const width = 1000
const height = 100

interface DayLinePlotProps {
  readonly days: readonly Day[]
  readonly scale: Scale
}

/** The SVG is stretched to the available space. Its text is outside, so that it is not distorted. */
function DayLinePlot({ days, scale }: DayLinePlotProps) {
  const yOf = (value: number) => height - positionOn(scale, value) * height
  const points = days.map(({ count, isEstimated }, index) => ({
    x: ((index + 0.5) / days.length) * width,
    y: yOf(count),
    isLoose: isEstimated,
  }))
  return (
    <svg
      className={styles.drawing}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {scale.ticks.map((tick) => (
        <line key={tick} className={styles.grid} x1={0} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
      ))}
      {splitRuns(points).map((run, at) => (
        <g key={at} className={run.isLoose ? styles.loose : undefined}>
          {/* An area is read from its ground: without one at 0 it would lie. */}
          {scale.from === 0 && <path className={styles.area} d={areaPath(run.points, height)} />}
          <path className={styles.line} d={linePath(run.points)} />
        </g>
      ))}
    </svg>
  )
}

interface Day {
  readonly date: string
  readonly count: number
  readonly isEstimated: boolean
  readonly q: string
  readonly description: string
}
