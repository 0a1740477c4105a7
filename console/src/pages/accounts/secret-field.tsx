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
  readonly long: boolean
  readonly placeholder: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A masked field with a reveal button. Password managers should ignore it. */
export function SecretField({ long, onChange, ...field }: Props) {
  const t = useMessages()
  const [isShown, setShown] = useState(false)
  const shared = {
    ...field,
    autoComplete: 'new-password',
    'data-1p-ignore': true,
    'data-lpignore': 'true',
  }
  return (
    <div className={styles.secret}>
      {long ? (
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
      <Button
        small
        look="quiet"
        className={styles.reveal}
        label={(isShown ? t.accounts.hideSecret : t.accounts.showSecret)(field.label)}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? t.accounts.hide : t.accounts.show}
      </Button>
    </div>
  )
}
