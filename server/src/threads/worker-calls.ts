import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'

interface Call<Request> {
  readonly id: number
  readonly request: Request
}

type Reply<Response, Failure> =
  | { readonly id: number; readonly response: Response }
  | { readonly id: number; readonly failure: Failure }

interface Calls<Request> {
  readonly calls: readonly Call<Request>[]
}

interface Replies<Response, Failure> {
  readonly replies: readonly Reply<Response, Failure>[]
}

/** A worker thread, or one end of a message channel. */
interface Channel {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Options<Failure> {
  /**
   * Restores an error from what the other thread sent, because errors lose their properties between threads.
   */
  readonly toError: (failure: Failure) => Error
  /** Calls made in the same turn of the event loop travel together, up to this many. */
  readonly maxBatch?: number
}

const isReplies = (message: unknown): message is Replies<never, never> =>
  typeof message === 'object' && message !== null && 'replies' in message

interface Caller<Request, Response> {
  /** `immediate` sends the request now instead of with others of the same turn. */
  call(request: Request, immediate?: boolean): Promise<Response>
  /** Sends the requests of this turn now. */
  flush(): void
  /** The other thread has ended: pending and later calls fail with this error. */
  end(error: Error): void
  hasEnded(): boolean
  /** How many calls have no reply yet, and how many there were. */
  counts(): { readonly pending: number; readonly total: number }
}

/**
 * Calls another thread: each request gets one response or one error. Calls of the same turn travel
 * together, so that the SQLite writer commits many requests with one sync of the disk. A pool such as
 * piscina has no such batches, and no second thread can share its writer. Errors lose their class
 * between threads, so each user describes and restores its own.
 */
export function createCaller<Request, Response, Failure>(
  channel: Channel,
  { toError, maxBatch = 1 }: Options<Failure>,
): Caller<Request, Response> {
  const pending = new Map<number, PromiseWithResolvers<Response>>()
  let unsent: Call<Request>[] = []
  let lastId = 0
  let ended: Error | undefined

  function flush(): void {
    if (unsent.length === 0) return
    channel.postMessage({ calls: unsent } satisfies Calls<Request>)
    unsent = []
  }

  channel.on('message', (message) => {
    if (!isReplies(message)) return
    const { replies } = message as Replies<Response, Failure>
    for (const reply of replies) {
      const call = pending.get(reply.id)
      pending.delete(reply.id)
      if ('failure' in reply) call?.reject(toError(reply.failure))
      else call?.resolve(reply.response)
    }
  })

  return {
    call(request, immediate = false) {
      if (ended) return Promise.reject(ended)
      const call = Promise.withResolvers<Response>()
      lastId += 1
      pending.set(lastId, call)
      unsent.push({ id: lastId, request })
      if (immediate || unsent.length >= maxBatch) flush()
      else if (unsent.length === 1) setImmediate(flush)
      return call.promise
    },
    flush,
    end(error) {
      ended ??= error
      unsent = []
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
    hasEnded: () => ended !== undefined,
    counts: () => ({ pending: pending.size, total: lastId }),
  }
}

/** A request to answer, once, now or later. */
export interface IncomingCall<Request, Response, Failure> {
  readonly request: Request
  respond(response: Response): void
  fail(failure: Failure): void
}

/**
 * Answers the calls of another thread. Calls that have arrived by now are handed over together, so
 * that they can share work; replies given in the same turn travel together.
 */
export function serveCalls<Request, Response, Failure>(
  port: MessagePort,
  answer: (calls: readonly IncomingCall<Request, Response, Failure>[]) => void,
  onOther: (message: unknown) => void = () => {},
): void {
  let replies: Reply<Response, Failure>[] = []

  function flush(): void {
    if (replies.length === 0) return
    port.postMessage({ replies } satisfies Replies<Response, Failure>)
    replies = []
  }

  function reply(message: Reply<Response, Failure>): void {
    replies.push(message)
    if (replies.length === 1) queueMicrotask(flush)
  }

  const isCalls = (message: unknown): message is Calls<Request> =>
    typeof message === 'object' && message !== null && 'calls' in message

  port.on('message', (first: unknown) => {
    const messages = [first]
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
      messages.push(next.message)
    }
    const calls = messages.filter(isCalls).flatMap((message) => message.calls)
    if (calls.length > 0) {
      answer(
        calls.map(({ id, request }) => ({
          request,
          respond: (response) => reply({ id, response }),
          fail: (failure) => reply({ id, failure }),
        })),
      )
      flush()
    }
    for (const message of messages) if (!isCalls(message)) onOther(message)
  })
}
