import { isApiError } from '@muster/sdk'
import { useState } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TextField } from '../../ui/field.tsx'
import styles from './login-page.module.css'
import type { LogIn } from './use-log-in.ts'

interface Props {
  readonly initialName: string
  readonly logIn: LogIn
  readonly domain: string
  readonly onDomain: (domain: string) => void
  /** Called before a login, here or at a provider. */
  readonly onLeave: () => void
  readonly providers: readonly { readonly name: string; readonly href: string }[]
}

export function PasswordForm({ initialName, logIn, domain, onDomain, onLeave, providers }: Props) {
  const t = useMessages()
  const [name, setName] = useState(initialName)
  const [password, setPassword] = useState('')
  const isWrong = isApiError(logIn.error) && logIn.error.status === 401
  return (
    <form
      className={styles.card}
      aria-label={t.session.title}
      onSubmit={(event) => {
        event.preventDefault()
        onLeave()
        logIn.mutate({ name, password, ...(domain !== '' && { domain }) })
      }}
    >
      {isApiError(logIn.error) && isWrong && (
        <p className={styles.note} role="alert">
          {t.session.failed} {t.errors.requestId} <code>{logIn.error.requestId}</code>
        </p>
      )}
      {logIn.isError && !isWrong && <ErrorNotice error={logIn.error} />}
      <TextField
        label={t.session.user}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        autoFocus={initialName === ''}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={t.session.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={initialName !== ''}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <TextField
        label={t.session.domain}
        hint={t.session.domainHint}
        name="domain"
        maxLength={255}
        value={domain}
        onChange={(event) => onDomain(event.target.value)}
      />
      <Button look="primary" type="submit" busy={logIn.isPending}>
        {t.session.logIn}
      </Button>
      {providers.map((provider) => (
        <a key={provider.href} href={provider.href} className={buttonClass()} onClick={onLeave}>
          {t.session.withProvider(provider.name)}
        </a>
      ))}
    </form>
  )
}
