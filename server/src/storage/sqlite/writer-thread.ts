import { MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { StatementResult } from '../database.ts'
import { serveCalls } from '../../threads/worker-calls.ts'
import { createPrepare, openFile } from './file.ts'
import { createRunStatement, describeFailure } from './run-statement.ts'
import { isLarge, type Failure, type Unit } from './writer-messages.ts'

type Result = { readonly results: StatementResult[] } | { readonly failure: Failure }

const cacheKilobytes = 32 * 1024
const checkpointPages = 32_768

/**
 * The one thread that writes. It commits all small units that have arrived in one transaction, so that
 * they share one sync of the disk; each unit still succeeds or fails alone.
 */
const database = openFile(workerData as string)
// A batch of servers changes more pages than SQLite's default cache holds: it would spill them to disk.
database.exec(`pragma cache_size = -${cacheKilobytes}`)
// With rare checkpoints, a page that is written repeatedly goes into the database file once.
database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
const run = createRunStatement(createPrepare(database))

/** Several statements need a savepoint, unless they are the whole transaction. */
function runUnit(unit: Unit, isAlone: boolean): Result {
  const needsSavepoint = !isAlone && (unit.length > 1 || unit[0]?.rows !== undefined)
  try {
    if (needsSavepoint) database.exec('savepoint unit')
    const results = unit.map(run)
    if (needsSavepoint) database.exec('release unit')
    return { results }
  } catch (error) {
    // A fault such as a full disk rolls back the whole transaction, so every unit in it fails.
    if (isAlone || !database.isTransaction) throw error
    if (needsSavepoint) database.exec('rollback to unit; release unit')
    return { failure: describeFailure(error) }
  }
}

function runUnits(units: readonly Unit[]): Result[] {
  try {
    database.exec('begin immediate')
    const results = units.map((unit) => runUnit(unit, units.length === 1))
    database.exec('commit')
    return results
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    const failure = describeFailure(error)
    return units.map(() => ({ failure }))
  }
}

/**
 * The units of each transaction. A large one is alone, because SQLite saves every page that changes after a
 * savepoint.
 */
function inTransactions(units: readonly Unit[]): readonly Unit[][] {
  const transactions: Unit[][] = []
  for (const unit of units) {
    const last = transactions.at(-1)
    if (last?.[0] && !isLarge(unit) && !isLarge(last[0])) last.push(unit)
    else transactions.push([unit])
  }
  return transactions
}

const ports: MessagePort[] = []

function serve(port: MessagePort): void {
  ports.push(port)
  serveCalls<Unit, StatementResult[], Failure>(
    port,
    (calls) => {
      const results = inTransactions(calls.map(({ request }) => request)).flatMap(runUnits)
      for (const [index, result] of results.entries()) {
        if ('results' in result) calls[index]?.respond(result.results)
        else calls[index]?.fail(result.failure)
      }
    },
    (message) => {
      if (message instanceof MessagePort) serve(message)
      if (message === 'close') close()
    },
  )
}

function close(): void {
  database.close()
  for (const port of ports) port.close()
}

if (!parentPort) throw new Error('the writer must run in a worker thread')
serve(parentPort)
