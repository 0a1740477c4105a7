import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../exit-codes.ts'
import type { Run } from '../grammar/command.ts'
import { isObjectFormat, type Row } from '../output/output.ts'
import { createProgress } from '../output/progress.ts'

const period = 1_000

const unfinishedTask: ReadonlySet<unknown> = new Set(['queued', 'running'])

/** Reads something again and again until it has ended. */
export async function poll(
  run: Run,
  read: () => Promise<Row>,
  hasEnded: (item: Row) => boolean,
  describe: (item: Row) => string,
): Promise<Row> {
  const progress = createProgress(run.io, true)
  for (;;) {
    const item = await read()
    if (hasEnded(item)) {
      progress.end()
      return item
    }
    progress.update(describe(item))
    await pause(period)
  }
}

const codeOfTask = (status: unknown): number =>
  status === 'succeeded' ? 0 : codeOf(status === 'unknown' ? 'unavailable' : 'error')

/** Waits until a task has ended, and prints it. */
export async function followTask(run: Run, id: string): Promise<number> {
  const { client } = await run.connect()
  const task = await poll(
    run,
    async () => {
      const { body } = await client.request('getTask', { parameters: { id } })
      return (body as { readonly task: Row }).task
    },
    ({ status }) => !unfinishedTask.has(status),
    ({ action, server, stage, progress }) =>
      `${String(action)} ${String(server)}: ${String(stage)} ${String(progress)} %`,
  )
  const chosen = run.args.texts('column')
  const usual = ['id', 'action', 'server', 'status', 'error']
  const whole = isObjectFormat(run.output.format) ? undefined : usual
  await run.output.printItem(task, chosen.length > 0 ? chosen : whole)
  return codeOfTask(task['status'])
}
