import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server, Task } from '@muster/contract'
import type { Call, Exchange, SourceServer } from './back-end.ts'
import {
  armFault,
  isOfResponse,
  type ArmedFault,
  type FaultName,
  type RecordedCall,
} from './faults.ts'
import { checkAccount, checkNotes, checkSentOnce, checkServers, checkTask } from './invariants.ts'
import {
  actionOf,
  createFor,
  isReached,
  isVisible,
  parametersOf,
  type Operation,
} from './operations.ts'
import type { Shown, World } from './world.ts'

export interface Cell {
  readonly operation: Operation
  readonly recorded: RecordedCall
  readonly fault: FaultName
}

/** Milliseconds for which a fault lasts: for a request without an answer longer than its time limit. */
const outageOf = (fault: FaultName) => (fault === 'no answer' ? 7_000 : 1_500)
/** Seconds in which the account must be well when the source answers again. */
const patience = 60
/** Seconds in which a task must end: more than its time limit in `world.ts`. */
const taskPatience = 120

const isEnded = ({ status }: Task) => status !== 'queued' && status !== 'running'

let count = 0

/** The servers that an action is done to, with notes of a user. */
export interface Prepared {
  readonly servers: readonly Server[]
  readonly parameters: object
}

/** Creates servers for as many actions. One scan for all of them saves most of the time. */
export async function prepareServers(
  { backEnd, settle, show, annotate }: World,
  operation: Operation,
  amount: number,
): Promise<Prepared[]> {
  const names = new Map<string, string>()
  const perAction = operation === 'batch' ? 2 : 1
  for (let made = 0; made < amount * perAction; made += 1) {
    count += 1
    const name = `cell-${count}`
    names.set(await createFor(operation, backEnd, name), name)
  }
  await settle()
  const made = (await show()).servers.filter(({ external_id }) => names.has(external_id))
  assert.equal(made.length, amount * perAction)
  const isProtected = actionOf(operation) !== 'delete'
  for (const { id } of made) await annotate(id, isProtected)
  return Array.from({ length: amount }, (_, at) => ({
    servers: made.slice(at * perAction, (at + 1) * perAction),
    parameters: parametersOf(operation, backEnd, `cell-${count}-${at}-renamed`),
  }))
}

/** Removes what is left of servers that were prepared. */
export async function removeServers(
  { backEnd }: World,
  prepared: readonly Prepared[],
): Promise<void> {
  const left = await backEnd.servers()
  for (const { external_id } of prepared.flatMap(({ servers }) => servers)) {
    if (left.has(external_id)) await backEnd.remove(external_id)
  }
}

/** Seconds between scans while the recycle bin waits for one that saw the server stopped. */
const scanInterval = 6

/** Waits until the last task has ended: with the recycle bin, that of the scheduled deletion. */
async function waitForEnd(
  world: World,
  operation: Operation,
  { id }: Server,
  scan: () => Promise<void>,
): Promise<void> {
  let scanAt = 0
  const isOver = async () => {
    const [last, first] = await world.tasksOf(id)
    if (!last || !isEnded(last)) return false
    if (operation !== 'recycle' || first || last.status !== 'succeeded') return true
    if (Date.now() < scanAt) return false
    await scan()
    scanAt = Date.now() + scanInterval * 1_000
    return false
  }
  await eventually('the task ends', () => isOver().catch(() => false), { deadline: taskPatience })
}

/** Waits while the fault lasts: at most for the outage from its first hit. */
async function waitOut(armed: ArmedFault, outage: number, isOver: () => boolean): Promise<void> {
  const unhit = Date.now() + patience * 1_000
  let end = Infinity
  while (Date.now() < (armed.isHit() ? end : unhit)) {
    if (armed.isHit()) end = Math.min(end, Date.now() + outage)
    if (isOver()) return
    await pause(100)
  }
}

/** Whether an operation may end without the request: an event stream may wait, and a second request is not always sent. */
const mayMiss = ({ call, isSecond }: RecordedCall) => call.isOptional === true || isSecond

/** Scans while the fault lasts, and again without it. Returns what is wrong; undefined if no request met the fault. */
export async function runScan(
  world: World,
  { recorded, fault }: Cell,
): Promise<string[] | undefined> {
  const { backEnd, show } = world
  await world.settle()
  const before = await show()
  const start = backEnd.port.exchanges().length
  count += 1
  const renamed = `other-${count}`
  const otherId = await backEnd.renameOther(renamed, recorded.call.place)
  const armed = armFault(backEnd, recorded, fault, world.kill)
  const found: string[] = []
  if (fault === 'Muster killed') {
    // It may be killed while it answers.
    await Promise.race([armed.hit, world.scan().catch(() => {})])
    assert.ok(armed.isHit() || mayMiss(recorded), 'the fault was not hit')
    await world.restart()
    await armed.heal()
  } else {
    await world.scan()
    assert.ok(armed.isHit() || mayMiss(recorded), 'the fault was not hit')
    const during = await show()
    if (fault === 'back end restarted') await armed.heal()
    const source = await backEnd.servers()
    const passes = fault === 'back end restarted' || fault === 'connection refused'
    const { place } = recorded.call
    const isAlone = place !== undefined && !passes
    const isShort = fault === 'empty list' || fault === 'half list'
    const mustTell = isShort
      ? backEnd.isServerList(recorded.call)
      : recorded.call.isOptional !== true && armed.isHit() && fault !== 'back end restarted'
    if (mustTell) found.push(...checkAccount(during.account, { place, isAlone, isShort }))
    const isFresh = ({ servers }: Shown) =>
      servers.some(({ external_id, name }) => external_id === otherId && name === renamed)
    if (isAlone && !isFresh(during)) {
      // A poll for changes may have read the server before the scan, and be recorded after it.
      await world.scan()
      if (!isFresh(await show())) found.push('the servers of the other region are not fresh')
    }
    const others = new Map([...source].filter(([id]) => id !== otherId))
    found.push(
      ...checkServers(before, withoutOne(during, otherId), others),
      ...checkNotes(before, during),
    )
    await armed.heal()
  }
  const isWell = async () => {
    await world.scan()
    const now = await show()
    return now.account.status === 'connected' && now.account.sync.warnings.length === 0 && now
  }
  // On a busy machine a request may take longer than its time limit, so one scan is not enough.
  const after = await eventually('the account is well', isWell, { deadline: patience }).catch(show)
  const { status, sync } = after.account
  if (status !== 'connected' || sync.warnings.length > 0) {
    found.push(
      `after the fault the account is ${status} ${sync.error} ${JSON.stringify(sync.warnings)}`,
    )
  }
  found.push(
    ...checkServers(before, after, await backEnd.servers()),
    ...checkNotes(before, after),
    ...checkSentOnce(backEnd.port.exchanges().slice(start)),
  )
  return armed.isHit() || found.length > 0 ? found : undefined
}

const withoutOne = <Shown extends { readonly servers: readonly { external_id: string }[] }>(
  shown: Shown,
  id: string,
): Shown => ({ ...shown, servers: shown.servers.filter(({ external_id }) => external_id !== id) })

/** The protection of servers is not compared where it is one of the fields that the operation changes. */
const withoutProtection = (shown: Shown): Shown => ({
  ...shown,
  servers: shown.servers.map((server) => ({ ...server, disable_delete: false })),
})

/**
 * Acts while the fault lasts, and waits for the end of the tasks. Returns what is wrong; undefined if no request met
 * the fault. Requests that change something are always sent. Others may have been sent by chance while the operation
 * was recorded, because Muster watches the source at the same time.
 */
export async function runAction(
  world: World,
  cell: Cell,
  prepared: Prepared,
): Promise<string[] | undefined> {
  const { servers, parameters } = prepared
  const { operation, recorded, fault } = cell
  const { backEnd, show } = world
  const before = await show()
  const start = backEnd.port.exchanges().length
  const sent = () => backEnd.port.exchanges().slice(start)
  const real = await backEnd.servers()
  const armed = armFault(backEnd, recorded, fault, world.kill, operation === 'batch')
  const isKilled = fault === 'Muster killed'
  const accepted = await world.perform(servers, operation, parameters).catch((error: unknown) => {
    if (!isKilled) throw error
    return undefined
  })
  const isRefused = accepted && accepted.status >= 400
  let isOver = isRefused === true
  const end = () =>
    Promise.all(servers.map((one) => waitForEnd(world, operation, one, world.scan))).then(
      () => void (isOver = true),
      () => {},
    )
  const ending = isRefused ? undefined : end()
  if (isKilled) {
    await Promise.race([armed.hit, ...(ending ? [ending] : [])])
    if (armed.isHit()) await world.restart()
  } else await waitOut(armed, outageOf(fault), () => isOver)
  await armed.heal()
  const mustHit = recorded.call.changes && !mayMiss(recorded)
  assert.ok(armed.isHit() || !mustHit, `the fault was not hit: ${accepted?.text}`)
  const found: string[] = []
  if (isRefused) {
    if (accepted.status !== 503) found.push(`the action was answered ${accepted.text}`)
    if (sent().some(({ call }) => call.changes)) found.push('a refused action was sent')
  } else {
    // Muster may be killed before it accepts the action.
    const tasks = await Promise.all(servers.map(({ id }) => world.tasksOf(id)))
    if (accepted || tasks.flat().length > 0) {
      await ending
      if (!isOver) await end()
    }
    for (const server of servers) {
      found.push(...(await checkEnd(world, cell, server, real.get(server.external_id), sent())))
    }
    // Only one of the requests to change a server had the fault.
    if (operation === 'batch' && recorded.call.changes && isOfResponse(fault)) {
      const ended = await Promise.all(servers.map(({ id }) => world.tasksOf(id)))
      if (!ended.some(([task]) => task?.status === 'succeeded')) {
        found.push('no server of the batch was stopped')
      }
    }
  }
  const after = await show()
  const noted = operation === 'update of several fields' ? withoutProtection : (all: Shown) => all
  found.push(
    ...checkSentOnce(sent()),
    ...checkServers(before, after, await backEnd.servers()),
    ...checkNotes(noted(before), noted(after)),
  )
  // While libvirt has a stopped domain without its image, Muster keeps the disks of others.
  if (operation === 'delete with disks') await removeServers(world, [prepared])
  return armed.isHit() || found.length > 0 ? found : undefined
}

/** What is wrong with the end of a task and its server. */
async function checkEnd(
  world: World,
  { operation, recorded, fault }: Cell,
  server: Server,
  real: SourceServer | undefined,
  sent: readonly Exchange[],
): Promise<string[]> {
  const { backEnd, show } = world
  const [task, binned] = await world.tasksOf(server.id)
  if (!task) return sent.some(({ call }) => call.changes) ? ['it was sent without a task'] : []
  const look = async () => {
    const source = (await backEnd.servers()).get(server.external_id)
    return { source, shown: (await show()).servers.find(({ id }) => id === server.id) }
  }
  const isSame = async () => {
    const one = await look()
    return one.source?.status === one.shown?.status && one
  }
  const { source, shown } = await eventually('the status is right', isSame, { deadline: 5 }).catch(
    look,
  )
  const lost = sent.findLast(({ call }) => call.name === recorded.call.name)
  // A restart that is forced goes on without the shutdown of the guest.
  const last = sent.findLast(({ call }) => call.changes)
  const isReplaced = operation === 'restart' && last !== lost && last?.isDelivered === true
  // The first task of the recycle bin stops the server, the second one deletes it.
  const step = operation === 'recycle' && !binned ? 'stop' : (actionOf(operation) ?? 'start')
  const found = checkTask({
    task,
    fault,
    isReached: isReached(operation, step, real, source),
    source,
    server: shown,
    isChangeLost:
      recorded.call.changes && lost?.isDelivered === false && operation !== 'batch' && !isReplaced,
    isVisible: isVisible(step),
  })
  if (operation === 'delete with disks') {
    const hasDisk = await backEnd.disks?.exists?.(server.external_id)
    const isTold = task.error.includes('Done: ')
    if (source && hasDisk === false && !isTold) found.push('its disk was deleted, and it was not')
    if (task.status === 'succeeded' && hasDisk === true) found.push('its disk was not deleted')
  }
  if (step === 'stop' && operation === 'recycle' && task.status === 'succeeded') {
    found.push('it was not deleted by the recycle bin')
  }
  return found.length === 0 ? [] : [...found, `(task: ${task.status} "${task.error}")`]
}

/** Runs an operation without a fault, and returns the requests that it sent, each name at most twice. */
export async function record(world: World, operation: Operation): Promise<RecordedCall[]> {
  const { backEnd } = world
  const [prepared] = operation === 'scan' ? [] : await prepareServers(world, operation, 1)
  if (!prepared) await world.settle()
  const { port } = backEnd
  const start = port.exchanges().length
  const items = new Map<string, number>()
  const onList = ({ name }: Call, length: number) =>
    void items.set(name, Math.max(length, items.get(name) ?? 0))
  port.inject({ onList }, () => true)
  /** Scans within an operation, as positions of their requests. */
  const scans: [number, number][] = []
  const scan = async () => {
    const from = port.exchanges().length - start
    await world.scan()
    scans.push([from, port.exchanges().length - start])
  }
  if (prepared) {
    const { servers, parameters } = prepared
    const { status, text } = await world.perform(servers, operation, parameters)
    assert.ok(status < 300, text)
    for (const server of servers) {
      await waitForEnd(world, operation, server, scan)
      const [task] = await world.tasksOf(server.id)
      assert.equal(task?.status, 'succeeded', `${operation}: ${task?.error}`)
    }
  } else await world.scan()
  port.heal()
  const calls = port
    .exchanges()
    .slice(start)
    .map(({ call }, at) => ({ call, at }))
    .filter(({ call }) => call.isHeartbeat !== true)
    .map(({ call, at }, index) => ({ call, at, index, items: items.get(call.name) ?? 0 }))
    .filter(({ at }) => !scans.some(([from, to]) => from <= at && at < to))
  if (prepared) await removeServers(world, [prepared])
  return [...Map.groupBy(calls, ({ call }) => call.name).values()].flatMap((equal) =>
    equal.slice(0, 2).map((one, at): RecordedCall => ({ ...one, isSecond: at > 0 })),
  )
}
