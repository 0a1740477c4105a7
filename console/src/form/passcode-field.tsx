import { useState } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  /** A new factor is confirmed with its own code only. */
  readonly appOnly?: boolean
}

/** The code of an authenticator app, or a recovery code, which needs a keyboard with letters. */
export function PasscodeField({ value, onChange, error, appOnly = false }: Props) {
  const { session: t } = useMessages()
  const [isRecovery, setRecovery] = useState(false)
  return (
    <>
      <TextField
        // Another field, so that phones show the other keyboard.
        key={String(isRecovery)}
        label={isRecovery ? t.recoveryCode : t.code}
        hint={isRecovery ? t.recoveryCodeHint : t.codeHint}
        name="passcode"
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        required
        autoFocus
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
      />
      {!appOnly && (
        <div>
          <Button
            small
            look="quiet"
            onClick={() => {
              onChange('')
              setRecovery(!isRecovery)
            }}
          >
            {isRecovery ? t.useApp : t.useRecoveryCode}
          </Button>
        </div>
      )}
    </>
  )
}
