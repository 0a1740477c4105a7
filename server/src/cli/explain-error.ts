import { ConfigError } from '../config/parsers.ts'

const readOnly = (path = '') => `--data-dir: the file system of ${path} is read-only`

/** Explains an error of the operating system that an invalid setting causes. */
function explainSetting(error: unknown): string | undefined {
  const { code = '', syscall, path, port } = error as NodeJS.ErrnoException & { port?: number }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      if (syscall === 'listen') {
        return `--port: no permission for port ${port}: use one above 1023, or a proxy`
      }
      return `--data-dir: no permission for ${path}: change its owner, or use another directory or user`
    case 'ENOENT':
      // The code that Node reports for EROFS when it creates a directory and its parents.
      return syscall === 'mkdir' ? readOnly(path) : undefined
    case 'EROFS':
      return readOnly(path)
    case 'EEXIST':
    case 'ENOTDIR':
      return `--data-dir: ${path} is not a directory`
    default:
      return undefined
  }
}

/** One line without a stack, and the exit status: 2 for an invalid setting or argument, otherwise 1. */
export function explainError(error: unknown): { line: string; status: number } {
  const { message, code = '', path, cause } = error as NodeJS.ErrnoException
  if (error instanceof ConfigError) return { line: message, status: 2 }
  if (code === 'ENOSPC') {
    return { line: `--data-dir: the disk of ${path} is full: free some space`, status: 1 }
  }
  if (code === 'EADDRINUSE')
    return { line: 'the port is already in use: choose another with --port', status: 1 }
  const settingError = explainSetting(error)
  if (settingError !== undefined) return { line: settingError, status: 2 }
  const reason = (cause as { code?: unknown } | undefined)?.code
  const isMissing =
    typeof reason === 'string' && !/SQLITE/.test(reason) && !message.includes(reason)
  return { line: isMissing ? `${message} (${reason})` : message, status: 1 }
}
