import { ApiError, ConnectionError } from '@muster/sdk'
import { describeRefusal } from '../messages/describe-problem.ts'
import type { Format } from '../messages/format.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'
import styles from './notice.module.css'

interface Props {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Shows an error: what happened, what to do, and the request ID. */
export function ErrorNotice({ error, onRetry }: Props) {
  const t = useMessages()
  const { title, text } = explain(error, t, useFormat())
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <section className={`${styles.notice} ${styles.bad}`} role="alert">
      <h2>{title}</h2>
      <p className={styles.text}>{text}</p>
      {requestId !== undefined && (
        <p className={styles.id}>
          {t.errors.requestId} <Copyable value={requestId} />
        </p>
      )}
      {onRetry && (
        <Button small icon="refresh" onClick={onRetry}>
          {t.common.retry}
        </Button>
      )}
    </section>
  )
}

/** The advice at the end of the API's text. `Retry-After` is more precise. */
const ownAdvice = /\s+(Wait and try|Try) again[^.]*\.$/

type Messages = ReturnType<typeof useMessages>

function explain(
  error: unknown,
  t: Messages,
  { span, dateTime }: Format,
): { title: string; text: string } {
  const isGatewayError = error instanceof ApiError && (error.status === 502 || error.status === 504)
  if (error instanceof ConnectionError || isGatewayError) {
    return { title: t.errors.unreachable, text: t.errors.unreachableText }
  }
  if (!(error instanceof ApiError))
    return { title: t.errors.unexpected, text: t.errors.unexpectedText }
  const refusal = describeRefusal(t, error)
  const text = error.details
  if (error.status === 403 && text.startsWith('X-CSRF-Token')) {
    return { title: t.session.changedElsewhere, text: t.session.changedElsewhereText }
  }
  if (error.status === 403 && text.startsWith('Your token has no scope')) {
    return { title: t.errors.noRole, text: t.errors.noRoleText }
  }
  const { recorded_since: recordedSince } = error.values
  if (typeof recordedSince === 'string') {
    const isNothing = recordedSince === ''
    const text = isNothing ? t.past.nothing : t.past.tooEarly(dateTime(recordedSince))
    return { title: t.past.notRecorded, text }
  }
  if (error.class === 'FactorRequiredError') {
    return { title: t.errors.codeNeeded, text: t.errors.codeNeededText }
  }
  if (error.status === 403) {
    return { title: t.errors.forbidden, text: t.errors.forbiddenText(refusal ?? text) }
  }
  if (refusal !== undefined) return { title: t.errors.refused, text: refusal }
  if (error.status === 404) return { title: t.errors.notFound, text }
  if (error.status === 429 || error.status === 503) {
    const { retryAfter } = error
    // A response of Muster without `Retry-After` says in its text what to do.
    const later = error.requestId === undefined ? t.errors.retryLaterText : ''
    const advice = retryAfter === undefined ? later : t.errors.retryText(span(retryAfter))
    return {
      title: error.status === 429 ? t.errors.limited : t.errors.unavailable,
      text: `${text.replace(ownAdvice, '')} ${advice}`.trimEnd(),
    }
  }
  if (error.status >= 500) return { title: t.errors.failed, text: t.errors.failedText }
  return { title: t.errors.refused, text }
}
