import type { LoginPreview } from '@muster/contract'
import { useState } from 'react'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import styles from './identity-providers.module.css'
import { LoginPreviewResult } from './login-preview-result.tsx'
import type { Driver } from './option-values.ts'

type Person = { claims: Record<string, unknown> } | { login_name: string }

interface Props {
  readonly driver: Driver
  readonly preview: LoginPreview | undefined
  readonly isOutdated: boolean
  readonly busy: boolean
  readonly error: unknown
  readonly disabledReason: string | undefined
  readonly onPreview: (person: Person) => void
}

/** What people paste, by driver. Not translated: the names are those of the providers. */
const examples: Readonly<Record<string, string>> = {
  oidc: '{ "sub": "f81d4fae", "preferred_username": "ada", "groups": ["staff"] }',
  cas: '{ "user": "ada", "group": ["staff"] }',
  ldap: '{ "entryUUID": "f81d4fae", "uid": "ada", "groups": ["staff"] }',
}

function readClaims(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Asks whose login to preview, and shows what it would do. */
export function LoginPreviewForm(props: Props) {
  const { driver, preview, isOutdated, busy, error, disabledReason, onPreview } = props
  const { providers: t } = useAllMessages()
  const canLookUp = driver.features.includes('person_lookup')
  const [loginName, setLoginName] = useState('')
  const [claims, setClaims] = useState(examples[driver.driver] ?? '{}')
  const [isWrong, setWrong] = useState(false)

  function look(): void {
    if (loginName !== '') return onPreview({ login_name: loginName })
    const read = readClaims(claims)
    setWrong(read === undefined)
    if (read) onPreview({ claims: read })
  }

  return (
    <form
      className={styles.preview}
      aria-label={t.preview}
      onSubmit={(event) => {
        event.preventDefault()
        if (disabledReason === undefined && !busy) look()
      }}
    >
      <h3>{t.preview}</h3>
      {canLookUp && (
        <TextField
          label={t.loginName}
          hint={t.loginNameHint}
          name="login_name"
          value={loginName}
          onChange={(event) => setLoginName(event.target.value)}
        />
      )}
      {loginName === '' && (
        <LongTextField
          label={t.claims}
          hint={t.claimsHint}
          name="claims"
          rows={5}
          required
          value={claims}
          error={isWrong ? t.claimsWrong : undefined}
          onChange={(event) => setClaims(event.target.value)}
        />
      )}
      <div className={styles.buttons}>
        <Button type="submit" busy={busy} disabledReason={disabledReason}>
          {t.runPreview}
        </Button>
      </div>
      {Boolean(error) && <ErrorNotice error={error} />}
      {preview && <LoginPreviewResult preview={preview} isOutdated={isOutdated} />}
    </form>
  )
}
