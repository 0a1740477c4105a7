import type { PasswordLogin } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { useEffect, useState } from 'react'
import { PasscodeField } from '../../form/passcode-field.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import styles from './login-page.module.css'
import type { LogIn } from './use-log-in.ts'

/** How long the page keeps a password that waits for a code. */
const patience = 5 * 60_000

interface Props {
  readonly login: PasswordLogin
  readonly logIn: LogIn
  readonly onLeave: (isLate: boolean) => void
}

/** The second step of a login: the code of a second factor. */
export function CodeForm({ login, logIn, onLeave }: Props) {
  const { session: t, errors } = useMessages()
  const [passcode, setPasscode] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => onLeave(true), patience)
    return () => clearTimeout(timer)
  }, [onLeave])
  const { error, isPending } = logIn
  const isMissing = isApiError(error, 'FactorRequiredError')
  const isWrong = isApiError(error, 'UnauthorizedError')
  return (
    <form
      className={styles.card}
      aria-label={t.codeTitle}
      onSubmit={(event) => {
        event.preventDefault()
        if (isPending) return
        logIn.mutate({ ...login, passcode }, { onError: () => setPasscode('') })
      }}
    >
      <p>{t.codeFor(login.name)}</p>
      {isWrong && (
        <p className={styles.note} role="alert">
          {t.wrongCode} {errors.requestId} <code>{error.requestId}</code>
        </p>
      )}
      {error !== null && !isWrong && !isMissing && <ErrorNotice error={error} />}
      <PasscodeField value={passcode} onChange={setPasscode} />
      <Button look="primary" type="submit" busy={isPending}>
        {t.logIn}
      </Button>
      <Button look="quiet" onClick={() => onLeave(false)}>
        {t.backToPassword}
      </Button>
    </form>
  )
}
