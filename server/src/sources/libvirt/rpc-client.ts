import type { Socket } from 'node:net'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { abortedError, noAnswer } from '../../domain/sources/deadline.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { createFrameSplitter, encodeFrame, type Frame } from './frame.ts'
import { createOutbox } from './outbox.ts'
import { keepaliveProcedures, messageTypes, programs, type Procedure } from './protocol.ts'
import { readError } from './records.ts'
import { createXdrReader, createXdrWriter, type XdrReader, type XdrWriter } from './xdr.ts'

/** With five unanswered calls libvirtd stops reading from the client, even keepalive messages. */
const maxConcurrentCalls = 4

interface Call<Answer> {
  readonly procedure: Procedure
  readonly write?: (writer: XdrWriter) => unknown
  readonly read: (reader: XdrReader) => Answer
}

/** A call without an answer yet, whether or not its caller still waits. */
interface Sent {
  answer(frame: Frame): void
  fail(error: SourceError): void
}

export interface RpcClient {
  call<Answer>(call: Call<Answer>, signal: AbortSignal): Promise<Answer>
  /** Subscribes to events; call the returned function to unsubscribe. */
  listen(hear: (procedure: number, reader: XdrReader) => void): () => void
  /** Why the connection is closed; undefined while it is open. */
  failure(): SourceError | undefined
  /** Called once, when the connection is closed. */
  whenLost(tell: (error: SourceError) => void): () => void
  close(): void
}

/** Rejects as soon as the signal is aborted, whatever the call is waiting for. */
async function unlessAborted<Answer>(
  work: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) throw abortedError(signal, 'libvirt')
  const told = Promise.withResolvers<never>()
  const giveUp = () => told.reject(abortedError(signal, 'libvirt'))
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work(), told.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** A client of libvirt's protocol: a few concurrent calls, answers in any order. */
export function createRpcClient(socket: Socket, timeLimit: number): RpcClient {
  const splitter = createFrameSplitter()
  const outbox = createOutbox(socket, () =>
    lose(new SourceError('unreachable', 'libvirt stopped reading requests.')),
  )
  const queue = createBoundedQueue({ name: 'calls', capacity: maxConcurrentCalls })
  const sent = new Map<number, Sent>()
  const hearers = new Set<(procedure: number, reader: XdrReader) => void>()
  const mourners = new Set<(error: SourceError) => void>()
  let lastSerial = 0
  let overdue = 0
  let lost: SourceError | undefined

  /** Closes the connection and rejects all calls with the same error. */
  function lose(error: SourceError): void {
    if (lost) return
    lost = error
    socket.destroy()
    for (const { fail } of sent.values()) fail(error)
    for (const tell of mourners) tell(error)
  }

  function receive(frame: Frame): void {
    const { program, procedure, type, serial, body } = frame
    if (program === programs.keepalive) {
      if (procedure === keepaliveProcedures.ping) {
        outbox.put(encodeFrame({ ...frame, procedure: keepaliveProcedures.pong }))
      }
      return
    }
    if (program !== programs.remote) {
      throw new SourceError('invalid-response', 'The server sent an invalid libvirt message.')
    }
    if (type === messageTypes.event) {
      for (const hear of hearers) hear(procedure, createXdrReader(body))
      return
    }
    if (type !== messageTypes.reply || serial === 0 || serial > lastSerial) {
      throw new SourceError('invalid-response', 'The server sent a response without a request.')
    }
    sent.get(serial)?.answer(frame)
  }

  socket.on('data', (chunk: Buffer) => {
    try {
      for (const frame of splitter.push(chunk)) receive(frame)
    } catch (error) {
      lose(error as SourceError)
    }
  })
  socket.on('error', (cause) => lose(connectionError(cause, 'libvirt')))
  socket.on('close', () =>
    lose(
      splitter.isWaiting()
        ? new SourceError('incomplete', 'libvirt closed the connection in the middle of a message.')
        : new SourceError('unreachable', 'libvirt closed the connection.'),
    ),
  )

  socket.resume()

  const late = () => noAnswer('libvirt', timeLimit)

  /**
   * Sends a call. It counts as in flight until libvirt answers, even if the caller gave up, because
   * libvirtd counts it too.
   */
  function send<Answer>(
    { procedure, write, read }: Call<Answer>,
    signal: AbortSignal,
    release: () => void,
  ) {
    return new Promise<Answer>((resolve, reject) => {
      if (lost || signal.aborted) {
        release()
        return reject(lost ?? abortedError(signal, 'libvirt'))
      }
      lastSerial += 1
      const serial = lastSerial
      let isOverdue = false
      const giveUp = () => reject(abortedError(signal, 'libvirt'))
      const forget = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        sent.delete(serial)
        if (isOverdue) overdue -= 1
        release()
      }
      const timer = setTimeout(() => {
        isOverdue = true
        overdue += 1
        reject(late())
        // The connection is unusable.
        if (overdue === maxConcurrentCalls) lose(late())
      }, timeLimit)
      signal.addEventListener('abort', giveUp)
      sent.set(serial, {
        fail(error) {
          forget()
          reject(error)
        },
        answer(frame) {
          const reader = createXdrReader(frame.body)
          if (frame.procedure !== procedure) {
            throw new SourceError(
              'invalid-response',
              'The server sent a response without a request.',
            )
          }
          forget()
          try {
            if (frame.status === 1) return reject(readError(reader))
            const answer = read(reader)
            reader.end()
            resolve(answer)
          } catch (error) {
            // Only this message is invalid; the next one starts after its length.
            reject(error)
          }
        },
      })
      const writer = createXdrWriter()
      write?.(writer)
      outbox.put(
        encodeFrame({
          program: programs.remote,
          procedure,
          type: messageTypes.call,
          serial,
          status: 0,
          body: writer.finish(),
        }),
      )
    })
  }

  return {
    call: (call, signal) =>
      unlessAborted(async () => await send(call, signal, await queue.acquire()), signal),
    listen(hear) {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
    failure: () => lost,
    whenLost(tell) {
      mourners.add(tell)
      return () => mourners.delete(tell)
    },
    close: () => lose(new SourceError('unreachable', 'Muster closed the connection.')),
  }
}
