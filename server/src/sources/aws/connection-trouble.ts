import { SourceError } from '../../domain/sources/source-error.ts'

const tlsCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS|SSL/

/** Why no answer came. */
export function connectionTrouble(error: unknown, host: string): SourceError {
  if (error instanceof SourceError) return error
  const { message, code = '' } = error as Error & { code?: string }
  if (tlsCodes.test(code)) {
    return new SourceError('tls', `${host} is not trusted: ${message}.`, { cause: error })
  }
  const reason = message === '' ? code : message
  return new SourceError('unreachable', `${host} cannot be reached: ${reason}.`, { cause: error })
}
