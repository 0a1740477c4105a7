import type { UserDto } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { updateEntity } from '../../api/entities.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly user: UserDto
  readonly onClose: () => void
}

export function PasswordDialog({ user, onClose }: Props) {
  const t = useAllMessages()
  const [password, setPassword] = useState('')
  const set = useMutation({
    mutationFn: () => updateEntity('users', user.id, { password }),
    onSuccess() {
      showToast(t.identity.passwordSet(user.name))
      onClose()
    },
  })
  const problem = problemsOf(set.error, 'user')['password']
  const label = t.identity.newPassword
  return (
    <FormDialog
      title={t.identity.resetPasswordTitle(user.name)}
      submit={t.identity.resetPassword}
      onSubmit={() => set.mutate()}
      onClose={onClose}
      busy={set.isPending}
      error={set.error}
      isShownByFields={isShownByFields(set.error, 'user', ['password'])}
    >
      <p>{t.identity.resetPasswordText}</p>
      <TextField
        label={label}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={problem === undefined ? undefined : t.identity.problem(label, problem)}
      />
    </FormDialog>
  )
}
