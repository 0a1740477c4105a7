import { ConnectionError, isApiError } from '@muster/sdk'
import { CommandError } from './command-error.ts'
import { codeOf, reasonOf, type ExitReason } from './exit-codes.ts'
import { safeJson, safeLines } from './output/safe-text.ts'
import { UsageError } from './usage-error.ts'

export function reasonOfError(error: unknown): ExitReason {
  if (isApiError(error)) return reasonOf(error.status)
  if (error instanceof CommandError) return error.reason
  if (error instanceof UsageError) return 'usage'
  if (error instanceof ConnectionError) return 'unavailable'
  return 'error'
}

/** The reason inside an error of the network, such as a refused connection. */
const causeOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: unknown }
  if (!(cause instanceof Error)) return ''
  const { code } = cause as NodeJS.ErrnoException
  const text = cause.message === '' ? (code ?? '') : cause.message
  return text === '' ? '' : `: ${text}`
}

function messageOf(error: unknown): string {
  if (isApiError(error)) return error.details
  return `${(error as Error).message}${causeOf(error)}`
}

const hints: Partial<Record<ExitReason, string>> = {
  unauthenticated: 'Log in with "muster auth login", or check the variables OS_*.',
  usage: 'See --help.',
}

/** An error as stderr shows it, in JSON where the output is JSON, and the exit code. */
export function explainError(error: unknown, isJson: boolean): { text: string; code: number } {
  const reason = reasonOfError(error)
  const code = codeOf(reason)
  const details = messageOf(error)
  if (isJson) {
    const facts = isApiError(error)
      ? {
          class: error.class,
          code: error.status,
          request_id: error.requestId,
          fields: error.fields,
        }
      : { class: reason, code: 0 }
    return { text: `${safeJson({ error: { ...facts, details, exit_code: code } })}\n`, code }
  }
  const fields = isApiError(error)
    ? error.fields
        .filter(({ problem }) => !details.includes(problem))
        .map(({ path, problem }) => `  ${path}: ${problem}`)
    : []
  const isApi = isApiError(error)
  const request = isApi && error.requestId !== undefined ? ` (request ${error.requestId})` : ''
  const retry =
    isApi && error.retryAfter !== undefined ? [`  Try again in ${error.retryAfter} s.`] : []
  const hint = isApi && reason === 'unauthenticated' ? [`  ${hints.unauthenticated}`] : []
  const usage = error instanceof UsageError ? ` ${hints.usage}` : ''
  const lines = [`muster: ${details}${request}${usage}`, ...fields, ...retry, ...hint]
  return { text: `${safeLines(lines.join('\n'))}\n`, code }
}
