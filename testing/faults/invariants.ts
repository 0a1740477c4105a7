import type { CloudAccount, Server, Task } from '@muster/contract'
import type { Exchange, SourceServer } from './back-end.ts'
import type { FaultName } from './faults.ts'

/** Each function returns a sentence for each violation. */
type Violations = string[]

/** The source has done nothing: unauthorized, busy, too many requests. */
const saysNothingDone = (status: number | undefined) =>
  status === 401 || status === 409 || status === 429

/** a: a changing request is sent again only after the source said that it did nothing. */
export function checkSentOnce(exchanges: readonly Exchange[]): Violations {
  const changing = exchanges.filter(({ call }) => call.changes)
  const groups = Map.groupBy(changing, ({ call }) => `${call.name} ${call.content}`)
  return [...groups.values()].flatMap((group) => {
    const again = group.slice(0, -1).filter(({ status }) => !saysNothingDone(status))
    const statuses = group.map(({ status }) => status ?? 'no answer').join(', ')
    return again.length === 0 ? [] : [`${group[0]?.call.name} was sent again (${statuses})`]
  })
}

/** What a task wanted, and what the source shows at the end. */
export interface TaskResult {
  readonly task: Pick<Task, 'status' | 'error'> & Partial<Pick<Task, 'error_class'>>
  readonly fault: FaultName
  /** Whether the source shows the target state, if that differs from the state before. */
  readonly isReached: boolean | undefined
  /** The server at the source, unless it is gone. */
  readonly source: SourceServer | undefined
  readonly server: Pick<Server, 'status'> | undefined
  /** Whether the fault was in a changing request, and that was not carried out. */
  readonly isChangeLost: boolean
  /** Whether the status of the server alone shows the success: not for a restart, or for several requests. */
  readonly isVisible?: boolean
}

const isTransitional = (status: string) => !['running', 'ready', 'suspend'].includes(status)

/** b: the task has ended and tells what happened, and the server shows what the source shows. */
export function checkTask(result: TaskResult): Violations {
  const { task, fault, isReached, source, server, isChangeLost, isVisible = false } = result
  const found: Violations = []
  const isChanging = source !== undefined && isTransitional(source.status)
  const isUnfinished = task.status === 'queued' || task.status === 'running'
  if (isUnfinished && !isChanging) found.push(`the task is still ${task.status}`)
  if (!isUnfinished && source?.status !== server?.status && !isChanging) {
    found.push(`the server is ${server?.status ?? 'gone'}, the source shows ${source?.status}`)
  }
  if (task.status === 'succeeded') {
    if (isReached === false) found.push('it succeeded, and the source does not show the target')
    if (isReached === undefined && isChangeLost) {
      found.push('it succeeded, and the request was not carried out')
    }
    if (task.error !== '') found.push(`it succeeded with the error "${task.error}"`)
    return found
  }
  if (isUnfinished) return found
  if (isReached === true && task.status === 'failed') {
    found.push(`it failed, and the source shows the target: ${task.error}`)
  }
  if (isReached === true && task.status === 'unknown' && isVisible) {
    found.push(`it is unknown, and the source shows the target: ${task.error}`)
  }
  if (task.error === '') found.push(`it is ${task.status} without an error`)
  if (task.error_class === 'time_limit') found.push(`only its time limit ended it: ${task.error}`)
  const isError = fault === '500' || fault === '503'
  if (task.status === 'unknown' && isVisible && isError && isChangeLost) {
    found.push(`it is unknown, and the source answered: ${task.error}`)
  }
  if (/\bguest\b/i.test(task.error) && isChangeLost) {
    found.push(`the error blames the guest: ${task.error}`)
  }
  if (isChangeLost && /^\d+$/.test(fault) && fault !== '401' && !task.error.includes(fault)) {
    found.push(`the error does not name the answer ${fault}: ${task.error}`)
  }
  return found
}

export type ShownServer = Pick<
  Server,
  'id' | 'external_id' | 'name' | 'project_id' | 'region' | 'description' | 'disable_delete'
> & { readonly metadata?: Server['metadata'] }

interface Inventory {
  readonly servers: readonly ShownServer[]
}

/** c: Muster has the servers of the source, each once, with the same id, name and project as before. */
export function checkServers(
  before: Inventory,
  after: Inventory,
  source: ReadonlyMap<string, SourceServer>,
): Violations {
  const found: Violations = []
  const shown = Map.groupBy(after.servers, ({ external_id }) => external_id)
  const known = new Map(before.servers.map((server) => [server.external_id, server]))
  for (const [id, { name }] of source) {
    const [server, ...doubles] = shown.get(id) ?? []
    const old = known.get(id)
    if (!server) {
      found.push(`${name} was removed`)
      continue
    }
    if (doubles.length > 0) found.push(`${name} is there ${doubles.length + 1} times`)
    if (server.name !== name) found.push(`${name} is named ${server.name}`)
    if (old && old.id !== server.id) found.push(`${name} has another id`)
    if (old && old.project_id !== server.project_id) found.push(`${name} moved to another project`)
    if (old && old.region !== server.region) found.push(`${name} moved to ${server.region}`)
  }
  for (const [id, [server]] of shown) {
    if (!source.has(id)) found.push(`${server?.name} is not at the source`)
  }
  return found
}

const notesOf = ({ description, disable_delete, metadata = {} }: ShownServer) =>
  JSON.stringify([
    description,
    disable_delete,
    Object.entries(metadata).filter(([key]) => key.startsWith('user:')),
  ])

/** d: what users wrote is as before. */
export function checkNotes(before: Inventory, after: Inventory): Violations {
  const kept = new Map(after.servers.map((server) => [server.id, server]))
  return before.servers.flatMap((old) => {
    const server = kept.get(old.id)
    return !server || notesOf(server) === notesOf(old)
      ? []
      : [`the notes of ${old.name} were ${notesOf(old)} and are ${notesOf(server)}`]
  })
}

/** e: while a fault lasts, the account tells it, and where it is. */
export function checkAccount(
  {
    status,
    sync,
  }: {
    readonly status: string
    readonly sync: Pick<CloudAccount['sync'], 'error' | 'warnings'>
  },
  expected: {
    readonly place: string | undefined
    /** Whether the other places answer. */
    readonly isAlone: boolean
    /** Whether all requests were answered, but not with all there is: a warning is enough. */
    readonly isShort: boolean
  },
): Violations {
  const text = [sync.error, ...sync.warnings.map((warning) => warning.text)].join('\n').trim()
  if (text === '') return [`the account is ${status} without an error or a warning`]
  if (expected.isShort) return []
  const found: Violations = []
  if (status === 'connected') found.push(`the account is connected: ${text}`)
  if (!expected.isAlone || expected.place === undefined) return found
  if (!text.includes(expected.place)) found.push(`${expected.place} is not named: ${text}`)
  if (status !== 'degraded') found.push(`the account is ${status} for one region: ${text}`)
  return found
}
