import { ConfigError } from '../config/parsers.ts'

/** Messages for operating system errors that an invalid setting causes. */
const settingErrors: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: '--host is not an address of this machine',
  ENOTFOUND: '--host is not an address of this machine',
  EACCES: 'no permission for --data-dir or --port: use another one, or another user',
  EEXIST: '--data-dir is not a directory',
  ENOTDIR: '--data-dir is not a directory',
}

/** One line without a stack, and the exit status: 2 for an invalid setting or argument, otherwise 1. */
export function explainError(error: unknown): { line: string; status: number } {
  const { message, code = '', cause } = error as Error & { code?: string }
  if (error instanceof ConfigError) return { line: message, status: 2 }
  if (code === 'EADDRINUSE')
    return { line: 'the port is already in use: choose another with --port', status: 1 }
  const settingError = settingErrors[code]
  if (settingError !== undefined) return { line: settingError, status: 2 }
  const reason = (cause as { code?: unknown } | undefined)?.code
  const isMissing =
    typeof reason === 'string' && !/SQLITE/.test(reason) && !message.includes(reason)
  return { line: isMissing ? `${message} (${reason})` : message, status: 1 }
}
