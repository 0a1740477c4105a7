import type { Day } from './day.ts'
import styles from './day-line.module.css'
import { areaPath, linePath, splitRuns } from './line-path.ts'
import { positionOn, type Scale } from './scale.ts'

const width = 1000
const height = 100

interface Props {
  readonly days: readonly Day[]
  readonly scale: Scale
}

/** Stretched to whatever room there is, but not its strokes. Text is beside it, so that it is not. */
export function DayLinePlot({ days, scale }: Props) {
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
