import type { Socket } from 'node:net'

/** In bytes. More than all concurrent calls take, so beyond it the server has stopped reading. */
const maxPending = 4_194_304

/**
 * Writes messages one at a time, each in its own TLS record. libvirt reads one message per record and
 * then waits for the next record, so a second message in the same record would be delayed.
 */
export function createMessageWriter(socket: Socket, onOverflow: () => void) {
  const queue: Buffer[] = []
  let isWriting = false
  let pending = 0

  function writeNext(): void {
    const message = queue.shift()
    isWriting = message !== undefined
    if (!message) return
    socket.write(message, () => {
      pending -= message.length
      writeNext()
    })
  }

  return {
    write(message: Buffer): void {
      pending += message.length
      if (pending > maxPending) return onOverflow()
      queue.push(message)
      if (!isWriting) writeNext()
    },
  }
}
