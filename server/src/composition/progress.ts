/** Where progress is shown. */
export interface ProgressOutput {
  write(text: string): unknown
}

interface Options {
  readonly output: ProgressOutput
  /** What is being done: `Loading the demo`. */
  readonly title: string
  readonly total: number
  /** Milliseconds, of whatever beginning. */
  readonly time?: () => number
}

/** What is over by then was too quick to be worth a line. */
const patience = 1_000
const nextLine = 5_000

/** A line now and then: no bar that redraws itself, since the log is written in between. */
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
      if (now - (shownAt ?? start) >= (shownAt === undefined ? patience : nextLine)) show(done, now)
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
