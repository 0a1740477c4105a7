import { once } from 'node:events'
import { closeSync, existsSync, fchmodSync, openSync } from 'node:fs'
import { destination } from 'pino'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { AccessLog } from '../http/request-log.ts'
import { createLogger } from '../log.ts'

/** Opens the log on standard error, and the file of the access log if there is one. */
export async function openLogs({ logLevel, accessLog: interval, accessLogFile }: Config) {
  const logger = createLogger(logLevel, destination({ dest: 2, sync: false }))
  if (accessLogFile === undefined) {
    const accessLog: AccessLog = { logger, interval }
    return { logger, accessLog, reopen: () => {} }
  }
  const file = await openFile(accessLogFile)
  const accessLog: AccessLog = { logger: createLogger('info', file), interval }
  // A full disk must not stop requests: lines are dropped, and the log says so once.
  let isFailing = false
  file.on('error', (error: Error) => {
    if (!isFailing) logger.error({ err: error }, 'cannot write the access log')
    isFailing = true
  })
  file.on('write', () => {
    isFailing = false
  })
  const reopen = () => {
    try {
      prepareFile(accessLogFile)
    } catch {
      // The line below fails for the same reason, which is logged.
    }
    file.reopen()
  }
  return { logger, accessLog, reopen }
}

const mode = 0o640

async function openFile(path: string) {
  try {
    prepareFile(path)
  } catch {
    throw new ConfigError(`--access-log-file: cannot write ${path}`)
  }
  const file = destination({ dest: path, sync: false, append: true })
  // It is flushed when the process exits, which throws before it is open.
  await once(file, 'ready')
  return file
}

/** Creates the file if it is missing. Its mode does not depend on the umask, which the start changes. */
function prepareFile(path: string): void {
  const isNew = !existsSync(path)
  const file = openSync(path, 'a')
  if (isNew) fchmodSync(file, mode)
  closeSync(file)
}
