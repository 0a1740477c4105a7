import { isApiError } from '@muster/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { problemsOf } from '../../form/field-problems.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { hideLinkSecret, readLinkSecret } from './link-secret.ts'
import styles from './login-page.module.css'
import { useSetFirstPassword } from './use-log-in.ts'

/** The page of a link to set a first password. The secret is in the fragment of its address. */
export function FirstPasswordPage() {
  const t = useMessages()
  const [secret, setSecret] = useState(readLinkSecret)
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setTried] = useState(false)
  const set = useSetFirstPassword()
  const { reset } = set
  // Another link in the same tab changes the fragment only.
  useEffect(() => {
    hideLinkSecret(secret)
    function change() {
      const next = readLinkSecret()
      setSecret(next)
      reset()
      hideLinkSecret(next)
    }
    window.addEventListener('hashchange', change)
    return () => window.removeEventListener('hashchange', change)
  }, [secret, reset])
  const status = isApiError(set.error) ? set.error.status : undefined
  const isSet = status === 409
  const isRefused = secret === '' || status === 401
  const problem = problemsOf(set.error, 'user')['password']
  return (
    <main className={styles.page}>
      <div className={styles.brand}>
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width="32" height="32" alt="" />
        <PageTitle>{t.session.firstPassword}</PageTitle>
      </div>
      {isRefused || isSet ? (
        <>
          <p className={styles.note} role="alert">
            {isSet ? t.session.passwordIsSet : t.session.linkRefused}
          </p>
          <Link to="/login">{t.session.toLogin}</Link>
        </>
      ) : (
        <form
          className={styles.card}
          aria-label={t.session.firstPassword}
          onSubmit={(event) => {
            event.preventDefault()
            setTried(true)
            if (password === again) set.mutate({ secret, password })
          }}
        >
          {set.isError && problem === undefined && <ErrorNotice error={set.error} />}
          <TextField
            label={t.me.newPassword}
            hint={t.me.newPasswordHint}
            type="password"
            autoComplete="new-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={problem === undefined ? undefined : t.me.problem(t.me.newPassword, problem)}
          />
          <TextField
            label={t.me.repeatPassword}
            type="password"
            autoComplete="new-password"
            required
            value={again}
            onChange={(event) => setAgain(event.target.value)}
            error={isTried && password !== again ? t.me.differs : undefined}
          />
          <Button look="primary" type="submit" busy={set.isPending}>
            {t.session.setAndLogIn}
          </Button>
        </form>
      )}
    </main>
  )
}
