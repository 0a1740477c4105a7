import type { Io } from '../io.ts'

const quietTime = 300
const linePeriod = 5_000
const eraseLine = '\r\u001B[K'

/** A line on stderr that counts. On a terminal it is overwritten; elsewhere there is one every 5 seconds. */
export function createProgress({ stderr }: Pick<Io, 'stderr'>, isShown: boolean) {
  let last = performance.now()
  let isVisible = false
  return {
    update(text: string): void {
      if (!isShown) return
      const elapsed = performance.now() - last
      if (stderr.isTTY === true) {
        if (!isVisible && elapsed < quietTime) return
        isVisible = true
        stderr.write(`${eraseLine}${text}`)
      } else if (elapsed >= linePeriod) {
        last = performance.now()
        stderr.write(`${text}\n`)
      }
    },
    end(): void {
      if (isVisible) stderr.write(eraseLine)
      isVisible = false
    },
  }
}
