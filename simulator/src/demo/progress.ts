import type { ProgressOutput } from '@muster/server/demo-port'

interface Options {
  readonly output: ProgressOutput
  /** Such as `Loading the demo`. */
  readonly title: string
  readonly total: number
  /** A monotonic clock in milliseconds. */
  readonly time?: () => number
}

/** A shorter load prints nothing until its end. */
const firstLineAfter = 1_000
const lineInterval = 5_000

/** Prints a line every few seconds. A bar that redraws itself would mix with the log. */
export function createProgress({ output, title, total, time = () => performance.now() }: Options) {
  const start = time()
  let shownAt: number | undefined

  function show(done: number, now: number): void {
    shownAt = now
    const rate = (done / Math.max(now - start, 1)) * 1_000
    const left = rate > 0 && done < total ? `, ${minutes((total - done) / rate)} left` : ''
    const percent = `${Math.floor((done / total) * 100)} %`
    output.write(
      `${title}: ${percent}, ${count(done)} of ${count(total)}, ${count(rate)}/s${left}\n`,
    )
  }

  return {
    advance(done: number): void {
      const now = time()
      if (now - (shownAt ?? start) >= (shownAt === undefined ? firstLineAfter : lineInterval))
        show(done, now)
    },
    end(): void {
      show(total, time())
    },
  }
}

const count = (number: number) => Math.round(number).toLocaleString('en-US')

const minutes = (seconds: number) => {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
