import { closeSync, openSync } from 'node:fs'
import { destination } from 'pino'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { AccessLog } from '../http/request-log.ts'
import { createLogger } from '../log.ts'

/** Opens the log on standard error, and the file of the access log if there is one. */
export function openLogs({ logLevel, accessLog: interval, accessLogFile }: Config) {
  const logger = createLogger(logLevel, destination({ dest: 2, sync: false }))
  if (accessLogFile === undefined) {
    const accessLog: AccessLog = { logger, interval }
    return { logger, accessLog, reopen: () => {} }
  }
  const file = openFile(accessLogFile)
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
  return { logger, accessLog, reopen: () => file.reopen() }
}

const mode = 0o640

function openFile(path: string) {
  try {
    // The destination opens the file later, when nobody waits for the error.
    closeSync(openSync(path, 'a', mode))
  } catch {
    throw new ConfigError(`--access-log-file: cannot write ${path}`)
  }
  return destination({ dest: path, sync: false, append: true, mode })
}
