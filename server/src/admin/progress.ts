import type { OnProgress } from '../storage/backup/write-backup.ts'

const interval = 2_000

/** Prints every two seconds how many rows are done. */
export function createProgress(stderr: NodeJS.WritableStream): OnProgress {
  let last = performance.now()
  return (rows, total) => {
    if (performance.now() - last < interval) return
    last = performance.now()
    const percent = Math.floor((100 * rows) / Math.max(total, 1))
    stderr.write(
      `${percent} %, ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} rows\n`,
    )
  }
}
