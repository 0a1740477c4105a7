import { setTimeout as pause } from 'node:timers/promises'
import type { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient, HttpResponse } from '../shared/http-client.ts'
import { listOf, numberOf, objectOf, parseJson, textOf, type Json } from '../shared/json.ts'
import { LostResponse } from '../shared/lost-response.ts'
import type { Api } from './api.ts'
import type { DaemonAddress } from './address.ts'
import { unlessAborted } from '../shared/unless-aborted.ts'
import { encodeName, isName } from './names.ts'
import { DaemonError, isNotDone, toSentError } from './convert-daemon-error.ts'

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
  /** Its name for messages. */
  readonly request: string
  readonly method: 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly project: string
  readonly name: string
  /** After the path of the instance. */
  readonly part?: string
  readonly body?: Json
  /** Return when the operation has run for so many milliseconds. Without it, wait until the operation ends. */
  readonly patience?: number
}

/** Sends a request that changes an instance, once, and waits for the operation that it starts. */
export async function sendChange(means: Means, change: Change): Promise<void | 'working'> {
  const { client, api, address, signal } = means
  const { request, method, project, name, part = '', body, patience = Infinity } = change
  const url = new URL(`/1.0/instances/${encodeName(name)}${part}`, address.url)
  url.search = new URLSearchParams({ project }).toString()
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = { 'content-type': 'application/json' }
  let wasSent = false
  try {
    const answer = await client
      .send({ url, method, headers, body: text, timeLimit: unlimited }, signal)
      .catch((error: unknown) => {
        wasSent = error instanceof LostResponse
        throw error
      })
    wasSent = true
    const accepted = readAccepted(answer, api.host)
    if (textOf(accepted, 'type') === 'async')
      return await waitForOperation(means, objectOf(accepted, 'metadata'), patience)
  } catch (error) {
    throw wasSent ? toSentError(error, request) : error
  }
}

const uninterpretable = (host: string, status: number) =>
  new SourceError(
    'invalid-response',
    `${host} sent a response that is not from Incus or LXD (status ${status}).`,
  )

/** The response, if it is one of the daemon and says that the request was accepted. */
function readAccepted({ status, body }: HttpResponse, host: string): Json {
  let json: Json
  try {
    json = parseJson(body, host)
  } catch {
    if (isNotDone(status)) throw new DaemonError(status, `status ${status}`)
    throw uninterpretable(host, status)
  }
  const type = textOf(json, 'type')
  if (type === 'error' || isNotDone(status)) throw new DaemonError(status, textOf(json, 'error'))
  const isAccepted = status < 300 && (type === 'sync' || type === 'async')
  if (!isAccepted) throw uninterpretable(host, status)
  return json
}

/**
 * Polls the operation, because the request that waits for one answers a failure and its own timeout alike.
 * The daemon forgets an operation five seconds after its end.
 */
async function waitForOperation(
  { api, signal }: Means,
  { id }: Json,
  patience: number,
): Promise<void | 'working'> {
  if (typeof id !== 'string' || !isName(id)) throw uninterpretable(api.host, success)
  let interval = shortestInterval
  let wasRunning = false
  for (let waited = 0; waited < patience; waited += interval) {
    interval = Math.min(interval * 2, longestInterval)
    let operation: Json
    try {
      await unlessAborted(pause(interval), api.host, signal)
      operation = await api.get(`/operations/${encodeName(id)}`, {}, 'read an operation')
    } catch (error) {
      if (wasRunning && signal.aborted) return 'working'
      throw error
    }
    const status = numberOf(operation, 'status_code')
    if (status === success) return
    if (!unfinished.has(status)) throw new DaemonError(400, textOf(operation, 'err'))
    wasRunning = true
  }
}

/** What the daemon calls the operations of requests that have one. LXD has said "container" for "instance". */
const operations: Readonly<Record<string, string>> = {
  start: 'Starting',
  stop: 'Stopping',
  restart: 'Restarting',
  freeze: 'Freezing',
  unfreeze: 'Unfreezing',
  update: 'Updating',
  rename: 'Renaming',
  delete: 'Deleting',
}

/** Whether the daemon is working on a request, or why it failed; undefined if it shows neither. */
export async function findWork(
  api: Api,
  request: string,
  { project, name }: Pick<Change, 'project' | 'name'>,
): Promise<'working' | ActionError | undefined> {
  const path = `/1.0/instances/${encodeName(name)}`
  const isOfRequest = (operation: Json) => {
    const { instances } = objectOf(operation, 'resources')
    const urls: readonly unknown[] = Array.isArray(instances) ? instances : []
    const isOfInstance = urls.some((url) => typeof url === 'string' && url.split('?')[0] === path)
    return isOfInstance && textOf(operation, 'description').startsWith(`${operations[request]} `)
  }
  const byStatus = await api.get('/operations', { recursion: '1', project }, 'list operations')
  const found = Object.keys(byStatus)
    .flatMap((status) => listOf(byStatus, status))
    .filter(isOfRequest)
  const statusOf = (operation: Json) => numberOf(operation, 'status_code')
  if (found.some((operation) => unfinished.has(statusOf(operation)))) return 'working'
  const failed = found.find((operation) => statusOf(operation) !== success)
  return failed && toSentError(new DaemonError(400, textOf(failed, 'err')), request)
}
