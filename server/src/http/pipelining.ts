import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Pipeline {
  /** The response to the latest request. */
  last: ServerResponse
  waiting: number
}

/** With so many requests waiting on a connection, nothing more is read from it. */
const mostWaiting = 100

/**
 * Lets the requests of a connection begin one after another. Node begins all that have arrived, and
 * holds each response in memory until the one before it is sent.
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
    if (pipeline.waiting === mostWaiting) socket.pause()
    pipeline.last.once('close', () => {
      pipeline.waiting -= 1
      // Of those that wait on a closed connection none begins, and none is told.
      if (socket.destroyed) return
      if (pipeline.waiting === mostWaiting / 2) socket.resume()
      begin(request, response)
    })
    pipeline.last = response
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pipeline = pipelines.get(request.socket)
    // Node gives a response its socket once the one before it is sent.
    if (pipeline && response.socket === null) {
      wait(pipeline, request, response)
      return
    }
    if (pipeline) pipeline.last = response
    else pipelines.set(request.socket, { last: response, waiting: 0 })
    begin(request, response)
  })
}
