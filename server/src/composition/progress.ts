/** Where progress is shown: a terminal, or whatever keeps the lines. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

interface Options {
  readonly output: ProgressOutput
  /** What is being done: `Loading the demo`. */
  readonly title: string
  readonly total: number
  /** Done before, by an earlier start. */
  readonly from: number
  /** Milliseconds, of whatever beginning. */
  readonly time?: () => number
}

/** What is over by then was too quick to be worth a line. */
const patience = 300
const redrawn = 100
const nextLine = 5_000
const barLength = 24

/** A bar that a terminal redraws; a line now and then for everything else. */
export function createProgress(options: Options) {
  const { output, title, total, from, time = () => performance.now() } = options
  const start = time()
  let shownAt: number | undefined

  function describe(done: number, now: number): string {
    const rate = ((done - from) / Math.max(now - start, 1)) * 1_000
    const left = rate > 0 ? `, ${minutes((total - done) / rate)} left` : ''
    const percent = `${Math.floor((done / total) * 100)} %`
    return `${percent}, ${count(done)} of ${count(total)}, ${count(rate)}/s${done < total ? left : ''}`
  }

  function show(done: number, now: number): void {
    shownAt = now
    const text = describe(done, now)
    if (output.isTTY !== true) {
      output.write(`${title}: ${text}\n`)
      return
    }
    const filled = Math.floor((done / total) * barLength)
    const bar = '█'.repeat(filled) + '░'.repeat(barLength - filled)
    // The rest of an older, longer line is wiped out.
    output.write(`\r${title} ${bar} ${text}\u001b[K`)
  }

  return {
    advance(done: number): void {
      const now = time()
      const pause = output.isTTY === true ? redrawn : shownAt === undefined ? patience : nextLine
      const since = shownAt ?? start
      if (now - start < patience || now - since < pause) return
      show(done, now)
    },
    /** Nothing, if nothing was shown. */
    end(): void {
      if (shownAt === undefined) return
      show(total, time())
      if (output.isTTY === true) output.write('\n')
    },
  }
}

const count = (number: number) => Math.round(number).toLocaleString('en-US')

const minutes = (seconds: number) => {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
