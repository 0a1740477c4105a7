import type { settings } from './settings.ts'

/** The groups of `--help`, with the settings of each. */
export const settingGroups: Readonly<Record<string, readonly (keyof typeof settings)[]>> = {
  Configuration: ['configFile'],
  Network: [
    'port',
    'host',
    'publicUrl',
    'authUrl',
    'baseUrl',
    'allowedHosts',
    'trustedProxies',
    'tlsCert',
    'tlsKey',
  ],
  Data: ['dataDir', 'databaseUrl', 'secretKeyFile', 'eventRetention', 'deletedRetention'],
  'PostgreSQL tuning': [
    'databaseConnections',
    'databaseWait',
    'databaseTimeout',
    'databaseSlowConnections',
    'databaseSyncConnections',
    'databaseSyncTimeout',
  ],
  'Users and tokens': ['adminPassword', 'tokenTtl', 'sessionIdle'],
  Limits: [
    'queryTimeout',
    'requestsPerMinute',
    'loginFailuresPerMinute',
    'tokensPerUser',
    'accessKeysPerUser',
    'cacheMemory',
  ],
  Sources: ['sourceAllow', 'disappearanceHold', 'taskTimeout', 'recycleFor'],
  Demo: ['demo', 'demoServers'],
  Process: ['roles', 'region', 'platformName', 'startTimeout', 'consoleBuild'],
  'Audit events': ['eventsWebhook', 'eventsWebhookSecret', 'eventsSyslog', 'eventsCa'],
  Monitoring: [
    'metricsTokenFile',
    'logLevel',
    'accessLog',
    'accessLogFile',
    'otlpEndpoint',
    'otlpHeaders',
    'traceSampleRatio',
  ],
}
