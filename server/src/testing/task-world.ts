import type { Server, ServerAction, TaskParameters } from '@muster/contract'
import { isUnavailable, PlatformError } from '../domain/error.ts'
import type { StoredServer } from '../domain/inventory/ports.ts'
import { ownNotesOf, withOwnNotes } from '../domain/inventory/own-fields.ts'
import {
  ActionError,
  sourceActions,
  type ActionSupport,
  type RequestState,
  type ServerActor,
  type SourceCall,
  type SourceRequest,
} from '../domain/sources/action-port.ts'
import type { Reading } from '../domain/sources/record-together.ts'
import { LeaseLost } from '../domain/sources/lease-lost.ts'
import { UnconfirmedAbsence, SourceError } from '../domain/sources/source-error.ts'
import type { DetailField, ReportedFacts } from '../domain/sources/source.ts'
import { createTask, musterItself, showTask } from '../domain/tasks/accept-task.ts'
import type { Situation } from '../domain/tasks/decide-action.ts'
import type { BinEntry, TaskStore } from '../domain/tasks/ports.ts'
import { runTask, type TaskContext } from '../domain/tasks/run-task.ts'
import { nameOf } from '../domain/tasks/task-state.ts'
import { isFinished, type TaskRecord } from '../domain/tasks/task.ts'
import { timestamp } from '../domain/timestamp.ts'

/** How the source answers a request. */
export const answers = [
  'ok',
  /** Carried out, and no answer until the time limit. */
  'lost',
  /** Not carried out, and no answer until the time limit. */
  'hangs',
  /** Not carried out: an error of the source itself. */
  '5xx',
  '401',
  'busy',
  'refused',
  'unreachable',
  /** Carried out, and at the time limit the source shows that it works on it. */
  'works',
  /** Not carried out. At the time limit the source still answers other requests. */
  'received',
  /** Refused, because the server is already in that state. Only if the state is visible. */
  'so already',
] as const
type Answer =
  | (typeof answers)[number]
  /** Accepted, and not carried out. */
  | 'idle'
  /** Not carried out, without an answer. Another user brings the server to that state. */
  | 'done by others'
  /** An error of the source itself, which shows a change for some time and then the state before. */
  | 'flaps'
  /** At the time limit the source works on it, and later it shows the state before. */
  | 'gives up'
const didNothing: ReadonlySet<Answer> = new Set(['401', 'busy', 'unreachable'])

/** `cut`: the source closes the connection during the response. `killed`: the process is killed meanwhile. */
export const readings = ['ok', 'fails', 'cut', 'unreadable', 'killed'] as const
/** The source has lost the server, or denies it by mistake, or cannot tell whether it is gone. */
export const denials = ['denied', 'cannot tell'] as const

/** `fails`: not carried out. `lost`: carried out, and the connection breaks before the answer. */
export const commits = ['ok', 'fails', 'lost'] as const

export interface Course {
  readonly action: ServerAction
  readonly params?: TaskParameters
  readonly from: string
  readonly restarts?: boolean
  /** Whether a resized server waits for a confirmation. */
  readonly confirms?: boolean
  /** The CPUs of the server at the source. */
  readonly size?: number
  /** Whether a stop switches the server off in the end. */
  readonly switchesOff?: boolean
  /** Whether the guest shuts down when it is asked to. */
  readonly obeys?: boolean
  /** Whether the source tells if a request was carried out, and the milliseconds that this takes. */
  readonly checks?: boolean
  readonly checkTime?: number
  /** The answers in order. After the last one, all requests succeed. */
  readonly answers?: readonly Answer[]
  readonly readings?: readonly (
    | (typeof readings | typeof denials)[number]
    /** The credentials cannot be read, for longer than a source may fail. */
    | 'no database'
  )[]
  /** Whether the login for a request works, one after the other; then it does. */
  readonly logins?: readonly boolean[]
  /** The process is killed at these moments, counted over commits and requests. */
  readonly crashes?: readonly number[]
  /** What happens to the commits, one after the other; then all work. */
  readonly commits?: readonly (typeof commits)[number][]
  /** Fields that the credentials cannot read. */
  readonly unread?: readonly DetailField[]
  /** The source needs no request, and does nothing. */
  readonly needsNothing?: boolean
  /** The account is changed while these requests are on their way, counted over all of them. */
  readonly changedDuring?: readonly number[]
  /** Milliseconds until the source shows the result of a request. */
  readonly delay?: number
  /** Whether the source shows the state before until then. */
  readonly isHidden?: boolean
  /** Whether a reading tells that the source works on the server. */
  readonly tellsBusy?: boolean
  /**
   * What the source reports about its work on a request: that it has ended, and with `error` why it failed.
   */
  readonly tellsWork?: 'end' | 'error' | undefined
  /** Milliseconds that a commit takes. */
  readonly commitTime?: number
  /** A scheduled deletion: the server is in the recycle bin. */
  readonly isOwn?: boolean
  /** Somebody protects the server after so many requests. */
  readonly protectedAfter?: number
  /** Somebody takes the server out of the recycle bin after so many requests. */
  readonly unbinnedAfter?: number
  /** The account is set to observe after so many requests. */
  readonly observedAfter?: number
  /** The task as an earlier process has left it. */
  readonly stored?: Partial<TaskRecord>
}

class Killed extends Error {}
const outage = () => new PlatformError('ServiceUnavailable', 'The database does not respond.')

export const times = { task: 900_000, call: 20_000, lease: 15_000, settle: 15_000 }
const start = Date.UTC(2027, 0, 1)

const through: Readonly<Record<string, string>> = {
  running: 'starting',
  ready: 'stopping',
  suspend: 'suspending',
}
/** Of a server that waits for the confirmation of its new size. */
const resizedStatus = 'sync_config'

/** A task on a server of a faulty source, in a process that is killed. Its clock jumps ahead. */
export function createTaskWorld(course: Course) {
  const { delay = 3_000, commitTime = 0 } = course
  let now = start
  let [moment, sends, reads, logins, requestedScans] = [0, 0, 0, 0, 0]
  let [isKilled, isLeaseLost] = [false, false]
  const answersLeft = [...(course.answers ?? [])]
  const readingsLeft = [...(course.readings ?? [])]
  const loginsLeft = [...(course.logins ?? [])]
  const commitsLeft = [...(course.commits ?? [])]

  /** At the source. */
  let status = course.from
  let next: { readonly at: number; readonly status: string } | undefined
  let exists = true
  const size = course.from === resizedStatus ? 4 : 2
  const fields: Record<string, unknown> = { name: 'a', vcpu_count: course.size ?? size }
  const carriedOut: string[] = []
  /** Requests that may have been carried out, by their place in the plan. */
  const delivered: string[] = []
  const refused: string[] = []
  const sentUnstored: string[] = []
  const waiting: TaskRecord[] = []

  function statusNow(): string {
    if (next && now < next.at) return course.isHidden ? status : (through[next.status] ?? 'busy')
    if (next) [status, next] = [next.status, undefined]
    return status
  }

  const support = {
    actions: sourceActions,
    restarts: course.restarts ?? false,
    switchesOff: course.switchesOff ?? false,
    resize: {
      fields: ['vcpu_count'],
      isLive: false,
      ...(course.confirms && { confirmedStatus: resizedStatus }),
    },
    updates: ['name', 'shutdown_behavior'],
    deletes: { disks: true, snapshots: true, running: true },
    rights: [],
  } as unknown as ActionSupport

  const server = {
    id: 'server',
    name: 'a',
    status: course.from,
    account_id: 'account',
    project_id: 'project',
    external_id: 'x',
    scaling_group_id: '',
    deleted: false,
    pending_deleted: false,
    disable_delete: false,
    update_version: 1,
    metadata: {},
    ...fields,
  } as unknown as Server
  let stored: StoredServer = { id: 'server', seq: 1, revision: 1, factsDigest: '', server }
  let entry: BinEntry | undefined
  if (course.isOwn) {
    const due = { server_id: 'server', account_id: 'account', auto_delete_at: start }
    entry = { ...due, delete_disks: false, delete_snapshots: false }
    const inBin = { pending_deleted: true, auto_delete_at: timestamp(start) }
    stored = { ...stored, server: { ...server, ...inBin } }
  }
  const author = course.isOwn ? musterItself : { ...musterItself, user_id: 'user' }
  const accepted = createTask(course.action, course.params ?? {}, stored, author, start)
  let task: TaskRecord = { ...accepted, ...course.stored }
  stored = { ...stored, server: showTask(stored, task).server }

  const hasDone = (requests = Infinity) => carriedOut.length >= requests

  /** The process may be killed here. */
  function pass(): void {
    moment += 1
    isKilled ||= course.crashes?.includes(moment) === true
    requireAlive()
  }
  /** A process that is killed within a request does nothing more. */
  function requireAlive(): void {
    if (isKilled) throw new Killed()
  }

  function carryOut(request: SourceRequest, time = delay): void {
    carriedOut.push(nameOf(request))
    const { kind, to, field, value } = (request.data ?? {}) as Record<string, string>
    if (kind === 'delete') exists = false
    if (field !== undefined) fields[field] = value
    if (kind === 'resize') fields['vcpu_count'] = 4
    const isIgnored = kind === 'stop' && request.data?.['soft'] === true && course.obeys === false
    if (to !== undefined && !isIgnored) next = { at: now + time, status: to }
  }

  const requestsOf = (call: SourceCall): SourceRequest[] => {
    if (course.needsNothing) return []
    const target: Partial<Record<SourceCall['kind'], string>> = {
      start: 'running',
      stop: 'ready',
      suspend: 'suspend',
      resume: 'running',
      restart: 'running',
      reset: 'running',
    }
    if (course.confirms) Object.assign(target, { resize: resizedStatus, 'confirm-resize': 'ready' })
    const { kind } = call
    if (kind === 'delete') {
      const remove = { name: 'delete', data: { kind } }
      if (call.disks) return [remove, { name: 'delete volume', target: 'vol-1' }]
      return [...['vol-1', 'vol-2'].map((volume) => ({ name: 'keep', target: volume })), remove]
    }
    if (kind === 'update') {
      return Object.entries(call.changes).map(([field, value]) => ({
        name: `set ${field}`,
        data: { field, value },
      }))
    }
    const name = kind === 'stop' ? (call.isForced ? 'switch off' : 'shut down') : kind
    const soft = kind === 'stop' && !call.isForced
    return [{ name, data: { kind, soft, ...(target[kind] && { to: target[kind] }) } }]
  }

  async function send(request: SourceRequest): Promise<void | 'working' | 'pending'> {
    const answer = answersLeft.shift() ?? 'ok'
    const place = `${task.step} ${nameOf(request)}`
    if (task.sent_at === null) sentUnstored.push(place)
    sends += 1
    if (course.changedDuring?.includes(sends)) isLeaseLost = true
    pass()
    if (!didNothing.has(answer)) delivered.push(place)
    if (answer === 'ok' || answer === 'lost' || answer === 'works') carryOut(request)
    if (answer === 'so already' && (course.checks || !isChecked(request))) carryOut(request, 0)
    if (answer === 'so already' || answer === 'refused') refused.push(place)
    if (answer === 'done by others') {
      next = { at: now + delay, status: String(request.data?.['to']) }
    }
    if (answer === 'flaps' || answer === 'gives up') next = { at: now + delay, status }
    if (carriedOut.length === course.protectedAfter) {
      stored = { ...stored, server: { ...stored.server, disable_delete: true } }
    }
    pass()
    switch (answer) {
      case 'ok':
      case 'idle':
        return
      case 'works':
      case 'gives up':
        now += times.call
        return 'working'
      case 'received':
        now += times.call
        return 'pending'
      case 'lost':
      case 'hangs':
      case 'done by others':
        now += times.call
        throw new ActionError('outcome-unknown', 'No answer.', { isAnswer: false })
      case '5xx':
      case 'flaps':
        throw new ActionError('outcome-unknown', 'Internal error 4711.')
      case '401':
        throw new ActionError('denied', 'Log in again.', { mayRetry: true })
      case 'busy':
        throw new ActionError('conflict', 'Busy.', { mayRetry: true })
      case 'refused':
      case 'so already':
        throw new ActionError('conflict', 'Not now.')
      case 'unreachable':
        throw new SourceError('unreachable', 'Connection refused.')
    }
  }

  const isChecked = ({ name }: SourceRequest) =>
    /^(?:keep|set |delete volume|reset|start)/.test(name)
  function stateOf(request: SourceRequest): RequestState {
    const isWorking = next !== undefined && now < next.at
    if (course.checks === true && isChecked(request)) {
      return carriedOut.includes(nameOf(request)) && !isWorking
    }
    if (course.tellsWork === undefined) return undefined
    if (isWorking) return 'working'
    const hasFailed = course.tellsWork === 'error' && !carriedOut.includes(nameOf(request))
    return hasFailed ? new ActionError('quota', 'Out of space.') : 'idle'
  }

  const actor: ServerActor = {
    plan: (call) => Promise.resolve(requestsOf(call)),
    send,
    async check(request) {
      const state = stateOf(request)
      now += course.checkTime ?? 0
      return state
    },
    close: () => Promise.resolve(),
  }

  async function read(): Promise<Reading> {
    requireAlive()
    const answer = readingsLeft.shift() ?? 'ok'
    reads += answer === 'ok' ? 1 : 0
    if (answer === 'fails') throw new SourceError('timeout', 'Too slow.')
    if (answer === 'no database') {
      now += 200_000
      throw outage()
    }
    if (answer === 'unreadable') return { key: ['x'] } as unknown as Reading
    isKilled ||= answer === 'killed'
    requireAlive()
    if (answer === 'cut') throw new SourceError('incomplete', 'Closed during a response.')
    if (answer === 'cannot tell') throw new UnconfirmedAbsence('Not found.')
    if (!exists || answer === 'denied') return undefined
    const { unread = [] } = course
    const shown = Object.entries(fields).filter(([name]) => !unread.includes(name as DetailField))
    const facts = { ...Object.fromEntries(shown), status: statusNow() } as unknown as ReportedFacts
    const isBusy = next !== undefined && now < next.at
    return { facts, unread, ...(course.tellsBusy && { isBusy }) } as unknown as Reading
  }

  const change: TaskStore['change'] = async (_, changes, commit, condition = {}) => {
    const { writes = [], binned, unbinned } = commit
    pass()
    now += commitTime
    const commitResult = commitsLeft.shift() ?? 'ok'
    if (commitResult === 'fails') throw outage()
    if (condition.fence && isLeaseLost) throw new LeaseLost()
    if (condition.sentAt !== undefined && condition.sentAt !== task.sent_at) return false
    if (isFinished(task)) return false
    task = { ...task, ...changes }
    for (const write of writes) stored = { ...stored, server: write.server }
    if (binned) entry = binned
    if (unbinned) entry = undefined
    pass()
    if (commitResult === 'lost') throw outage()
    return true
  }

  const context: TaskContext = {
    support,
    tasks: {
      change,
      find: () => Promise.resolve(task),
      binEntry: () => Promise.resolve(hasDone(course.unbinnedAfter) ? undefined : entry),
    } as unknown as TaskStore,
    findStored: () => Promise.resolve(stored),
    loadSituation: () =>
      Promise.resolve({
        server: stored.server,
        attached: {
          account: { name: 'lab', access: 'manage', enabled: true, isBeingDeleted: false },
          sync: { is_unreachable: false },
        },
        support,
        task: undefined,
        isMissing: false,
      } as unknown as Situation),
    reauthorize: () => Promise.resolve(undefined),
    read,
    async record(_, reading) {
      requireAlive()
      if (isLeaseLost) throw new LeaseLost()
      const gone = reading === undefined
      const facts = reading && 'facts' in reading ? reading.facts : undefined
      const noted = facts
        ? withOwnNotes(stored.server, { settled_status: facts.status })
        : stored.server
      stored = { ...stored, server: { ...noted, deleted: gone } }
    },
    async onMissing() {
      requestedScans += 1
    },
    async openActor() {
      requireAlive()
      logins += 1
      if (loginsLeft.shift() === false) throw new SourceError('credentials', 'Wrong password.')
      return actor
    },
    condition: { fence: { accountId: 'account', fence: { revision: 1, runner: 'a' } } },
    get maySend() {
      return !hasDone(course.observedAfter)
    },
    limits: { ...times, recycle: 604_800_000 },
    clock: () => now,
    async sleep(time) {
      requireAlive()
      waiting.push(task)
      now += time
    },
    signal: new AbortController().signal,
  }

  return {
    /** Runs the task to its end, in a new process after each crash. */
    async run(): Promise<TaskRecord> {
      for (let starts = 0; starts < 50; starts += 1) {
        try {
          await runTask(task, context)
          if (isFinished(task)) return task
        } catch (error) {
          const isExpected = error instanceof Killed || error instanceof LeaseLost
          if (!isExpected && !isUnavailable(error)) throw error
          now += 1_000
          isKilled = false
          isLeaseLost = false
        }
      }
      throw new Error('the task does not end')
    },
    get server() {
      return stored.server
    },
    get entry() {
      return entry
    },
    /** The final state of the source. */
    source: () => {
      now += 60_000
      return { status: exists ? statusNow() : 'gone', fields }
    },
    now: () => now - start,
    reads: () => reads,
    logins: () => logins,
    requestedScans: () => requestedScans,
    /** The stored task at each pause. */
    waiting,
    showsTask: () => ownNotesOf(stored.server).task_id !== undefined,
    carriedOut,
    delivered,
    refused,
    sentUnstored,
  }
}
export type TaskWorld = ReturnType<typeof createTaskWorld>
