import type { Socket } from 'node:net'

/** Far more than all the calls under way can take: who lets so much wait does not read. */
const maxWaiting = 4_194_304

/**
 * Writes one message after the other, each by itself. libvirt reads one message from a TLS record and
 * then waits for the next record: what else is in the first it would find only much later.
 */
export function createOutbox(socket: Socket, whenFull: () => void) {
  const queue: Buffer[] = []
  let isWriting = false
  let waiting = 0

  function writeNext(): void {
    const message = queue.shift()
    isWriting = message !== undefined
    if (!message) return
    socket.write(message, () => {
      waiting -= message.length
      writeNext()
    })
  }

  return {
    put(message: Buffer): void {
      waiting += message.length
      if (waiting > maxWaiting) return whenFull()
      queue.push(message)
      if (!isWriting) writeNext()
    },
  }
}
