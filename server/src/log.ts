import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'

/** What must not reach a log even inside someone else's error message. */
const secrets: readonly [RegExp, string][] = [
  [/(mt1|cms)_[A-Za-z0-9_-]{20,}/g, '$1_[hidden]'],
  [/(postgres(?:ql)?:\/\/[^\s:@/]*):[^\s@]*@/g, '$1:[hidden]@'],
]

const hideSecrets = (text: string): string =>
  secrets.reduce((shown, [pattern, stand]) => shown.replaceAll(pattern, stand), text)

/** Errors by name, message and stack alone: drivers hang whole requests on theirs. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error }
  const { type, message, stack } = stdSerializers.err(error)
  const cause = error.cause === undefined ? undefined : describeError(error.cause)
  return { type, message: hideSecrets(message), stack: hideSecrets(stack), cause }
}

const describeBriefly = (error: unknown): string =>
  error instanceof Error ? hideSecrets(error.message) : typeof error

const longestPath = 80

/** Enough to recognise it by; a query, and what looks like a secret, is left out. */
const describePath = (path: string): string =>
  hideSecrets(path.split('?', 1)[0] ?? '').slice(0, longestPath)

const secretNames = ['password', 'token', 'secret', 'authorization', 'cookie', 'headers', 'body']

/** Structured logs, one JSON object a line, on standard error: standard output is for people. */
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
        // Nobody logs these; should somebody start to, this is the net.
        ...Object.fromEntries(secretNames.map((name) => [name, () => '[hidden]'])),
      },
    },
    destination,
  )
}
