import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { WorkerMessage } from './messages.ts'

/** Failures of the suite as a whole (a hook, an import) rather than of a test in it. */
const isOwnFailure = (error: unknown) =>
  !(error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed')

function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return inspect(cause, { depth: 6, maxStringLength: 4000, maxArrayLength: 50 })
}

function send(message: WorkerMessage): void {
  process.send?.(message)
}

/** The test reporter of a worker process: passes results on to the pool that started it. */
// oxlint-disable-next-line import/no-default-export -- Node takes a reporter from it
export default async function* reportToPool(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const titles: string[] = []
  let cpu: NodeJS.CpuUsage | undefined
  for await (const event of events) {
    if (event.type === 'test:start') {
      titles.length = event.data.nesting
      titles.push(event.data.name)
    }
    // At level 0 Node.js counts the tests of the whole process.
    if (event.type === 'test:diagnostic' && event.data.nesting > 0) {
      send({ kind: 'diagnostic', text: event.data.message })
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { name, nesting, details, skip, todo } = event.data
    const isSuite = details.type === 'suite'
    const title = [...titles.slice(0, nesting), name].join(' › ')
    if ('error' in details) {
      if (!isSuite || isOwnFailure(details.error)) {
        send({ kind: 'failed', title, error: describeFailure(details.error) })
      }
    } else if (skip !== undefined || todo !== undefined) {
      send({ kind: 'failed', title, error: 'It is skipped or marked as a to-do.' })
    } else if (!isSuite) {
      send({ kind: 'passed' })
    }
    if (nesting === 0) {
      const { user, system } = process.cpuUsage(cpu)
      cpu = process.cpuUsage()
      const memory = process.memoryUsage.rss()
      send({ kind: 'finished', cpuSeconds: (user + system) / 1e6, memory })
    }
  }
  yield ''
}
