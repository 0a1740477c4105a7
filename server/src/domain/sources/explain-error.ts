import type { AccountSync } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { ActionError } from './action-port.ts'
import { limitText } from './limit-facts.ts'
import { SourceError, type SourceErrorKind } from './source-error.ts'

/** Describes an error for an operator. Bugs of Muster are only in the log. */
export function explainError(error: unknown): string {
  if (error instanceof PlatformError) return error.message
  // They may quote the source, so their length is limited.
  if (error instanceof SourceError || error instanceof ActionError) return limitText(error.message)
  return 'Muster itself failed. See its log.'
}

const fieldOf: Readonly<Record<SourceErrorKind, AccountSync['error_field']>> = {
  'not-allowed': 'address',
  unreachable: 'address',
  timeout: 'address',
  tls: 'address',
  'invalid-response': 'address',
  credentials: 'credentials',
  forbidden: 'credentials',
  throttled: '',
  failed: '',
  incomplete: '',
}

/** The setting of the account to look at; '' if the error is about none. */
export const errorFieldOf = (error: unknown): AccountSync['error_field'] =>
  error instanceof SourceError ? fieldOf[error.kind] : ''
