import { fork, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { FileMessage, WorkerMessage } from './messages.ts'

interface Failure {
  readonly file: string
  readonly title: string
  readonly error: string
}

export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failures: readonly Failure[]
  /** What tests reported with `context.diagnostic`. */
  readonly diagnostics: readonly string[]
  readonly seconds: number
  readonly cpuSeconds: number
}

interface Options {
  /** In the order in which they start. */
  readonly files: readonly string[]
  readonly workers: number
  /** A file that takes longer is ended, with its worker, and counts as failed. */
  readonly fileTimeout: (file: string) => number
  /** Ends the run at the first failed test. */
  readonly stopsAtFailure?: boolean
  readonly onResult: (result: FileResult) => void
}

/** The modules of test files stay loaded, so a worker that has grown to this size is replaced. */
const maxWorkerBytes = 1_000_000_000

const reporter = new URL('report-to-pool.ts', import.meta.url).href

function startWorker(): ChildProcess {
  return fork(new URL('worker.ts', import.meta.url), {
    execArgv: ['--test-reporter', reporter, '--test-reporter-destination', 'stdout'],
    serialization: 'advanced',
  })
}

/** Runs one file in a worker. Says whether the worker can run another one. */
async function runFile(
  worker: ChildProcess,
  file: string,
  { fileTimeout, stopsAtFailure, onResult }: Options,
): Promise<boolean> {
  const started = performance.now()
  const timeout = fileTimeout(file)
  let passed = 0
  const failures: Failure[] = []
  const diagnostics: string[] = []
  const { promise, resolve } = Promise.withResolvers<{ cpuSeconds: number; memory: number }>()
  const fail = (title: string, error: string) => failures.push({ file, title, error })

  const timer = setTimeout(() => {
    fail(file, `The file did not finish within ${timeout / 1000} seconds.`)
    worker.kill('SIGKILL')
  }, timeout)
  const onExit = (code: number | null, signal: string | null) => {
    if (failures.at(-1)?.title !== file) {
      fail(file, `The process of the file ended early (${signal ?? `exit code ${code}`}).`)
    }
    resolve({ cpuSeconds: 0, memory: Infinity })
  }
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === 'passed') passed += 1
    if (message.kind === 'diagnostic') diagnostics.push(message.text)
    if (message.kind === 'failed') {
      fail(message.title, message.error)
      if (stopsAtFailure) worker.kill('SIGKILL')
    }
    if (message.kind === 'finished') resolve(message)
  }
  worker.once('exit', onExit).on('message', onMessage)
  worker.send({ file } satisfies FileMessage)

  const { cpuSeconds, memory } = await promise
  clearTimeout(timer)
  worker.off('exit', onExit).off('message', onMessage)
  if (passed === 0 && failures.length === 0) fail(file, 'The file has no tests.')
  const seconds = (performance.now() - started) / 1000
  onResult({
    file: relative(process.cwd(), file),
    passed,
    failures,
    diagnostics,
    seconds,
    cpuSeconds,
  })
  return memory < maxWorkerBytes
}

/** For a file that replaces parts of a library before the server's modules load it. */
const needsOwnProcess = (file: string) => readFileSync(file, 'utf8').startsWith('// @own-process')

/** Takes files from the queue until it is empty, with a new process after each crash. */
async function work(queue: string[], options: Options): Promise<void> {
  while (queue.length > 0) {
    const worker = startWorker()
    let isNew = true
    const exited = new Promise<false>((resolve) => worker.once('exit', () => resolve(false)))
    const ready = new Promise<true>((resolve) => worker.once('message', () => resolve(true)))
    if (!(await Promise.race([ready, exited]))) throw new Error('A test worker did not start.')
    for (let file = queue[0]; file !== undefined; file = queue[0]) {
      const isAlone = needsOwnProcess(file)
      if (isAlone && !isNew) break
      queue.shift()
      isNew = false
      if (!(await runFile(worker, file, options)) || isAlone) break
    }
    if (worker.connected) worker.disconnect()
    // It may be in an endless loop. Writing the coverage takes a while.
    const grace = process.env['NODE_V8_COVERAGE'] === undefined ? 2_000 : 120_000
    const timer = setTimeout(() => worker.kill('SIGKILL'), grace)
    await exited
    clearTimeout(timer)
  }
}

/** Runs test files in a few long-lived processes, each file in one of them. */
export async function runFiles(options: Options): Promise<void> {
  const queue = [...options.files]
  const workers = Math.min(options.workers, queue.length)
  const onResult = (result: FileResult) => {
    if (options.stopsAtFailure && result.failures.length > 0) queue.length = 0
    options.onResult(result)
  }
  await Promise.all(Array.from({ length: workers }, () => work(queue, { ...options, onResult })))
}
