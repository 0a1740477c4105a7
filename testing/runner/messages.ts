/** Messages of a worker process to the pool. Plain values, because they cross a process boundary. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'passed' }
  | { readonly kind: 'diagnostic'; readonly text: string }
  | { readonly kind: 'failed'; readonly title: string; readonly error: string }
  | { readonly kind: 'finished'; readonly cpuSeconds: number; readonly memory: number }

/** Messages of the pool to a worker: a test file to run. The worker ends when the channel closes. */
export interface FileMessage {
  readonly file: string
}
