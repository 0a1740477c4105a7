import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'

/** Secrets to hide in texts, because error messages of libraries may contain them. */
const secrets: readonly [RegExp, string][] = [
  [/(mt1|cms)_[A-Za-z0-9_-]{20,}/g, '$1_[hidden]'],
  [/(postgres(?:ql)?:\/\/[^\s:@/]*):[^\s@]*@/g, '$1:[hidden]@'],
]

const hideSecrets = (text: string): string =>
  secrets.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text)

/** Logs only type, message, stack and cause: errors of database drivers may contain whole requests. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error }
  const { type, message, stack } = stdSerializers.err(error)
  const cause = error.cause === undefined ? undefined : describeError(error.cause)
  return { type, message: hideSecrets(message), stack: hideSecrets(stack), cause }
}

const describeBriefly = (error: unknown): string =>
  error instanceof Error ? hideSecrets(error.message) : typeof error

const longestPath = 80

/** The beginning of the path, without query and secrets. */
const describePath = (path: string): string =>
  hideSecrets(path.split('?', 1)[0] ?? '').slice(0, longestPath)

const secretNames = ['password', 'token', 'secret', 'authorization', 'cookie', 'headers', 'body']

/** Creates a logger that writes one JSON object per line. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: describeError,
        cause: describeBriefly,
        path: describePath,
        // A safeguard. No code logs these fields on purpose.
        ...Object.fromEntries(secretNames.map((name) => [name, () => '[hidden]'])),
      },
    },
    destination,
  )
}
