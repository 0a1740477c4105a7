import type { LoginOptions } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'

interface Props {
  readonly providers: LoginOptions['providers']
  readonly onClose: () => void
}

/** Asks for the password, and opens the page of the provider, which then returns to the list. */
export function LinkOwnLoginDialog({ providers, onClose }: Props) {
  const { me: t } = useMessages()
  const [provider, choose] = useState(providers[0]?.id ?? '')
  const [password, setPassword] = useState('')
  const start = useMutation({
    mutationFn: () => startLink(provider, password),
    onSuccess(page) {
      if (page !== 'wrong') location.assign(page)
    },
  })
  const isWrong = start.data === 'wrong'
  return (
    <FormDialog
      title={t.linkLogin}
      submit={t.goToProvider}
      onSubmit={() => start.mutate()}
      onClose={onClose}
      busy={start.isPending || (start.isSuccess && !isWrong)}
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
        label={t.currentPassword}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={isWrong ? t.wrongPassword : undefined}
      />
    </FormDialog>
  )
}

/** The page of the provider. A 401 may mean a wrong password or an ended session. */
async function startLink(id: string, password: string): Promise<string> {
  try {
    return (await api.startProviderLink({ parameters: { id }, body: { password } })).login_page
  } catch (error) {
    if (!isApiError(error, 'UnauthorizedError')) throw error
    await api.getSession()
    return 'wrong'
  }
}
