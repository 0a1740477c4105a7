import { MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { StatementSync } from 'node:sqlite'
import type { StatementResult } from '../database.ts'
import { createStatementCache, openFile } from './file.ts'
import { unmet } from './unmet.ts'
import type { Batch, Failure, Result, Unit } from './writer.ts'

const keptKilobytes = 64 * 1024
const loggedPages = 8192

/**
 * The one thread that writes. It commits together all units that have arrived, so that many who
 * wait share one sync of the disk; each unit still stands or falls alone.
 */
const database = openFile(workerData as string)
// A thousand servers touch more pages than SQLite keeps unasked: it would write them, and read them again.
database.exec(`pragma cache_size = -${keptKilobytes}`)
// A page that is written again and again goes into the database once.
database.exec(`pragma wal_autocheckpoint = ${loggedPages}`)
const prepare = createStatementCache(database)

const returnsRows = new WeakMap<StatementSync, boolean>()
function hasRows(statement: StatementSync): boolean {
  let answer = returnsRows.get(statement)
  if (answer === undefined) {
    answer = statement.columns().length > 0
    // A row of the search index goes by a number that is too large for one of JavaScript's.
    if (!answer) statement.setReadBigInts(true)
    returnsRows.set(statement, answer)
  }
  return answer
}

/** Its message is the reason that the statement gave. */
class Unmet extends Error {
  readonly errcode = unmet
}

function run(statement: Unit[number]): StatementResult {
  const outcome = execute(statement)
  if (statement.required !== undefined && outcome.changes === 0) {
    throw new Unmet(statement.required)
  }
  return outcome
}

function execute({ sql, parameters }: Unit[number]): StatementResult {
  const statement = prepare(sql)
  if (hasRows(statement)) {
    const rows = statement.all(...parameters).map((row) => ({ ...row }))
    return { rows, changes: rows.length }
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) }
}

/** A single statement undoes itself when it fails; several need a savepoint to fall together. */
function runUnit(unit: Unit): Result {
  const guarded = unit.length > 1
  try {
    if (guarded) database.exec('savepoint unit')
    const outcomes = unit.map(run)
    if (guarded) database.exec('release unit')
    return { outcomes }
  } catch (error) {
    // A fault such as a full disk undoes the whole batch: nobody in it may go on as if nothing were.
    if (!database.isTransaction) throw error
    if (guarded) database.exec('rollback to unit; release unit')
    return { failure: describe(error) }
  }
}

function describe(error: unknown): Failure {
  const { message, errcode } = error as Error & { errcode?: number }
  return { message, code: errcode ?? 0 }
}

function runBatch(batch: Batch): Result[] {
  try {
    database.exec('begin immediate')
    const results = batch.map(runUnit)
    database.exec('commit')
    return results
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    const failure = describe(error)
    return batch.map(() => ({ failure }))
  }
}

type Message = Batch | MessagePort | 'close'

/** What has arrived besides, until now. */
function* arrivals(port: MessagePort): Generator<Message> {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    yield next.message as Message
  }
}

/** Serves one line. What comes in on it is answered on it. */
function serve(port: MessagePort): void {
  port.on('message', (first: Message) => {
    const messages = [first, ...arrivals(port)]
    for (const message of messages) if (message instanceof MessagePort) join(message)
    const batch = messages.flatMap((message) =>
      message === 'close' || message instanceof MessagePort ? [] : message,
    )
    if (batch.length > 0) port.postMessage(runBatch(batch))
    if (messages.includes('close')) close()
  })
}

const lines: MessagePort[] = []

function join(line: MessagePort): void {
  lines.push(line)
  serve(line)
}

function close(): void {
  database.close()
  for (const line of lines) line.close()
}

if (!parentPort) throw new Error('the writer runs in a thread of its own')
join(parentPort)
