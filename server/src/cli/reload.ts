import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../config/parsers.ts'
import type { Config, readConfig } from '../config/read-config.ts'
import { spellings, type SettingKey } from '../config/spellings.ts'
import type { AccessLog } from '../http/request-log.ts'
import type { Platform } from '../platform.ts'

export type ReadConfig = () => ReturnType<typeof readConfig>

interface Logs {
  readonly logger: FastifyBaseLogger
  readonly accessLog: AccessLog
}

/** Settings that apply without a restart. The file of the metrics token is read again anyway. */
const reloaded: ReadonlySet<SettingKey> = new Set(['logLevel', 'accessLog', 'tlsCert', 'tlsKey'])

/**
 * Reads the settings again and applies those that can change while the server runs: the log level,
 * the access log and the certificate. After an invalid change everything stays as it is.
 */
export function createReload(started: Config, readAgain: ReadConfig, logs: Logs) {
  const { logger, accessLog } = logs
  return function reload(platform: Pick<Platform, 'useCertificate'>): void {
    try {
      const request = readAgain()
      if (request.kind !== 'run') return
      const { config } = request
      logger.level = config.logLevel
      accessLog.interval = config.accessLog
      platform.useCertificate(config)
      const waiting = findWaiting(started, config)
      if (waiting.length === 0) logger.info('settings reloaded')
      else logger.warn({ settings: waiting }, 'settings reloaded; some need a restart')
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      logger.error({ reason: error.message }, 'settings not reloaded')
    }
  }
}

/** The settings that have changed and need a restart, as the configuration file names them. */
const findWaiting = (before: Config, now: Config) =>
  spellings
    .filter(({ setting, isPath }) => !isPath && !reloaded.has(setting))
    .filter(({ setting }) => JSON.stringify(before[setting]) !== JSON.stringify(now[setting]))
    .map(({ key }) => key)
