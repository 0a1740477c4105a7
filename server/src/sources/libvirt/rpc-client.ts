import type { Socket } from 'node:net'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { abortedError, noAnswer } from '../../domain/sources/deadline.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ResponseTooLarge } from '../shared/response-too-large.ts'
import { createFrameSplitter, encodeFrame, longestOf, type Frame } from './frame.ts'
import { createMessageWriter } from './message-writer.ts'
import {
  keepaliveProcedures,
  messageTypes,
  nameOfProcedure,
  programs,
  type Procedure,
} from './protocol.ts'
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

/** Makes a call and returns its answer. */
export type CallLibvirt = <Answer>(call: Call<Answer>) => Promise<Answer>

export interface RpcClient {
  call<Answer>(call: Call<Answer>, signal: AbortSignal): Promise<Answer>
  /** Subscribes to events; call the returned function to unsubscribe. */
  listen(onEvent: (procedure: number, reader: XdrReader) => void): () => void
  /** Why the connection is closed; undefined while it is open. */
  failure(): SourceError | undefined
  /** Called once, when the connection is closed. */
  whenLost(onClose: (error: SourceError) => void): () => void
  close(): void
}

const invalidResponse = ({ kind, message }: SourceError, call: string) =>
  new SourceError(kind, `${message.replace(/\.$/, '')}, in response to ${call}.`)

/** Rejects as soon as the signal is aborted, whatever the call is waiting for. */
async function unlessAborted<Answer>(
  work: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) throw abortedError(signal, 'libvirt')
  const aborted = Promise.withResolvers<never>()
  const giveUp = () => aborted.reject(abortedError(signal, 'libvirt'))
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work(), aborted.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** A client of libvirt's protocol: a few concurrent calls, answers in any order. */
export function createRpcClient(socket: Socket, timeLimit: number): RpcClient {
  const splitter = createFrameSplitter()
  const messages = createMessageWriter(socket, () =>
    lose(new SourceError('unreachable', 'libvirt stopped reading requests.')),
  )
  const queue = createBoundedQueue({ name: 'calls', capacity: maxConcurrentCalls })
  const sent = new Map<number, Sent>()
  const eventListeners = new Set<(procedure: number, reader: XdrReader) => void>()
  const closeListeners = new Set<(error: SourceError) => void>()
  let lastSerial = 0
  let overdue = 0
  let lost: SourceError | undefined

  /** Closes the connection and rejects all calls with the same error. */
  function lose(error: SourceError): void {
    if (lost) return
    lost = error
    socket.destroy()
    for (const { fail } of sent.values()) fail(error)
    for (const onClose of closeListeners) onClose(error)
  }

  function receive(frame: Frame): void {
    const { program, procedure, type, serial, body } = frame
    if (frame.isTooLong && type !== messageTypes.reply) {
      throw new SourceError(
        'invalid-response',
        `libvirt sent an event of more than ${longestOf(procedure)} bytes.`,
      )
    }
    if (program === programs.keepalive) {
      if (procedure === keepaliveProcedures.ping) {
        messages.write(encodeFrame({ ...frame, procedure: keepaliveProcedures.pong }))
      }
      return
    }
    if (program !== programs.remote) {
      throw new SourceError('invalid-response', 'The server sent an invalid libvirt message.')
    }
    if (type === messageTypes.event) {
      for (const onEvent of eventListeners) onEvent(procedure, createXdrReader(body))
      return
    }
    if (type !== messageTypes.reply || serial === 0 || serial > lastSerial) {
      throw new SourceError('invalid-response', 'libvirt sent a response without a request.')
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
      const settle = () => {
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
          settle()
          reject(error)
        },
        answer(frame) {
          const reader = createXdrReader(frame.body)
          if (frame.procedure !== procedure) {
            throw new SourceError('invalid-response', 'libvirt sent a response without a request.')
          }
          settle()
          if (frame.isTooLong) {
            const call = nameOfProcedure(procedure)
            const error = `libvirt sent a response of more than ${longestOf(procedure)} bytes to ${call}.`
            return reject(new ResponseTooLarge(error))
          }
          try {
            if (frame.status === 1) return reject(readError(reader))
            const answer = read(reader)
            reader.end()
            resolve(answer)
          } catch (error) {
            // Only this message is invalid; the next one starts after its length.
            reject(invalidResponse(error as SourceError, nameOfProcedure(procedure)))
          }
        },
      })
      const writer = createXdrWriter()
      write?.(writer)
      messages.write(
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
    listen(onEvent) {
      eventListeners.add(onEvent)
      return () => eventListeners.delete(onEvent)
    },
    failure: () => lost,
    whenLost(onClose) {
      closeListeners.add(onClose)
      return () => closeListeners.delete(onClose)
    },
    close: () => lose(new SourceError('unreachable', 'Muster closed the connection.')),
  }
}
