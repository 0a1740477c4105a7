import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Pipeline {
  /** The response to the latest request. */
  last: ServerResponse
  waiting: number
}

/** With this many requests queued on a connection, reading from it is paused. */
const maxWaiting = 100

/**
 * Handles the pipelined requests of a connection one after another. Node would start all of them
 * and buffer each response until the previous one is sent.
 */
export function answerInTurn(server: Server): void {
  const listeners = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  const pipelines = new WeakMap<Socket, Pipeline>()
  server.removeAllListeners('request')

  const begin = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(server, request, response)
  }

  function wait(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    pipeline.waiting += 1
    if (pipeline.waiting === maxWaiting) socket.pause()
    pipeline.last.once('close', () => {
      pipeline.waiting -= 1
      // The connection is closed: drop its queued requests.
      if (socket.destroyed) return
      if (pipeline.waiting === maxWaiting / 2) socket.resume()
      begin(request, response)
    })
    pipeline.last = response
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pipeline = pipelines.get(request.socket)
    // Node assigns the socket to a response once the previous one is sent.
    if (pipeline && response.socket === null) {
      wait(pipeline, request, response)
      return
    }
    if (pipeline) pipeline.last = response
    else pipelines.set(request.socket, { last: response, waiting: 0 })
    begin(request, response)
  })
}
