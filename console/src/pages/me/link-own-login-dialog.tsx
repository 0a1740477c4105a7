import type { LoginOptions } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { wrongOr } from '../../api/wrong-or.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { PasscodeField } from '../../form/passcode-field.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'

interface Props {
  readonly providers: LoginOptions['providers']
  readonly onClose: () => void
}

/** Asks for the password, and opens the page of the provider, which then returns to the list. */
export function LinkOwnLoginDialog({ providers, onClose }: Props) {
  const { me, linkedLogins: t } = useAllMessages()
  const [provider, choose] = useState(providers[0]?.id ?? '')
  const [password, setPassword] = useState('')
  const [passcode, setPasscode] = useState('')
  const [needsCode, askForCode] = useState(false)
  const start = useMutation({
    mutationFn: () => startLink(provider, password, passcode),
    onSuccess(page) {
      if (page === 'code') askForCode(true)
      else if (page !== 'wrong') location.assign(page)
    },
  })
  const isWrong = start.data === 'wrong'
  const isStopped = isWrong || start.data === 'code'
  return (
    <FormDialog
      title={t.linkLogin}
      submit={t.goToProvider}
      onSubmit={() => start.mutate()}
      onClose={onClose}
      busy={start.isPending || (start.isSuccess && !isStopped)}
      error={start.error}
      isShownByFields={isWrong}
    >
      <p>{t.linkLoginText}</p>
      <SelectField
        label={t.provider}
        value={provider}
        onChange={(event) => choose(event.target.value)}
      >
        {providers.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={me.currentPassword}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={isWrong ? (needsCode ? me.wrongPasswordOrCode : me.wrongPassword) : undefined}
      />
      {needsCode && <PasscodeField value={passcode} onChange={setPasscode} />}
    </FormDialog>
  )
}

/** The page of the provider. `code`: the user has a second factor, whose code is missing. */
async function startLink(id: string, password: string, passcode: string): Promise<string> {
  const body = { password, ...(passcode !== '' && { passcode }) }
  try {
    const answer = await wrongOr(() => api.startProviderLink({ parameters: { id }, body }))
    return answer === 'wrong' ? 'wrong' : answer.login_page
  } catch (error) {
    if (isApiError(error, 'FactorRequiredError')) return 'code'
    throw error
  }
}
