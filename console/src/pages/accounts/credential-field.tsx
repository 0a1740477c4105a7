import { useState } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import styles from './account-form.module.css'

interface Props {
  readonly label: string
  readonly name: string
  readonly hint: string | undefined
  readonly error: string | undefined
  readonly required: boolean
  readonly isLong: boolean
  readonly isSecret: boolean
  readonly placeholder: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A secret is masked, with a reveal button. Password managers should ignore all of them. */
export function CredentialField({ isLong, isSecret, onChange, ...field }: Props) {
  const t = useMessages()
  const [isRevealed, setRevealed] = useState(false)
  const isShown = isRevealed || !isSecret
  const shared = {
    ...field,
    autoComplete: isSecret ? 'new-password' : 'off',
    spellCheck: false,
    'data-1p-ignore': true,
    'data-lpignore': 'true',
  }
  return (
    <div className={styles.secret}>
      {isLong ? (
        <div className={isShown ? undefined : styles.masked}>
          <LongTextField {...shared} onChange={(event) => onChange(event.target.value)} />
        </div>
      ) : (
        <TextField
          {...shared}
          type={isShown ? 'text' : 'password'}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {isSecret && (
        <Button
          small
          look="quiet"
          className={styles.reveal}
          label={(isShown ? t.accounts.hideSecret : t.accounts.showSecret)(field.label)}
          onClick={() => setRevealed(!isRevealed)}
        >
          {isShown ? t.accounts.hide : t.accounts.show}
        </Button>
      )}
    </div>
  )
}
