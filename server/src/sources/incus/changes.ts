import { setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { numberOf, objectOf, parseJson, textOf, type Json } from '../shared/json.ts'
import { LostResponse } from '../shared/lost-response.ts'
import type { Api } from './api.ts'
import type { DaemonAddress } from './address.ts'
import { unlessAborted } from '../shared/unless-aborted.ts'
import { encodeName, isName } from './names.ts'
import { DaemonError } from './convert-daemon-error.ts'

/** Limited by the signal: the daemon stops an instance before it answers some requests. */
const unlimited = 2_147_483_647
/** In milliseconds. */
const shortestInterval = 50
const longestInterval = 1_000
/** Statuses of operations: started, stopped, running, cancelling, pending. */
const unfinished: ReadonlySet<number> = new Set([101, 102, 103, 104, 105])
const success = 200

interface Means {
  /** Sends each request once. */
  readonly client: HttpClient
  /** For reading the state of operations. */
  readonly api: Api
  readonly address: DaemonAddress
  readonly signal: AbortSignal
}

export interface Change {
  readonly method: 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly project: string
  readonly name: string
  /** After the path of the instance. */
  readonly part?: string
  readonly body?: Json
  /** Return when the operation has run for so many milliseconds. Without it, wait until the operation ends. */
  readonly patience?: number
}

/** Requests that change an instance, for one action. */
export function createChanges({ client, api, address, signal }: Means) {
  let wasSent = false
  const uninterpretable = () =>
    new SourceError('invalid-response', `${api.host} sent a response that is not of Incus or LXD.`)

  /** The response, if it is one of the daemon and says that the request was accepted. */
  function readAccepted(status: number, body: Buffer): Json {
    const json = parseJson(body, api.host)
    const type = textOf(json, 'type')
    if (type === 'error') throw new DaemonError(status, textOf(json, 'error'))
    if (type !== 'sync' && type !== 'async') throw uninterpretable()
    return json
  }

  /**
   * Polls the operation: the request that waits for one does not tell a failure from the end of its own time. The daemon
   * forgets an operation five seconds after its end.
   */
  async function waitForOperation({ id }: Json, patience: number): Promise<void> {
    if (typeof id !== 'string' || !isName(id)) throw uninterpretable()
    let interval = shortestInterval
    for (let waited = 0; waited < patience; waited += interval) {
      interval = Math.min(interval * 2, longestInterval)
      await unlessAborted(pause(interval), api.host, signal)
      const operation = await api.get(`/operations/${encodeName(id)}`, {}, 'read an operation')
      const status = numberOf(operation, 'status_code')
      if (status === success) return
      if (!unfinished.has(status)) throw new DaemonError(400, textOf(operation, 'err'))
    }
  }

  return {
    /** Whether a request was sent, with or without a response. */
    wasSent: () => wasSent,

    /** Sends a request, and waits for the operation that it starts. */
    async send({ method, project, name, part = '', body, patience = Infinity }: Change) {
      const url = new URL(`/1.0/instances/${encodeName(name)}${part}`, address.url)
      url.search = new URLSearchParams({ project }).toString()
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = { 'content-type': 'application/json' }
      const request = { url, method, headers, body: text, timeLimit: unlimited }
      const { status, body: answer } = await client
        .send(request, signal)
        .catch((error: unknown) => {
          if (error instanceof LostResponse) wasSent = true
          throw error
        })
      wasSent = true
      const accepted = readAccepted(status, answer)
      if (textOf(accepted, 'type') === 'async') {
        await waitForOperation(objectOf(accepted, 'metadata'), patience)
      }
    },
  }
}
export type Changes = ReturnType<typeof createChanges>
