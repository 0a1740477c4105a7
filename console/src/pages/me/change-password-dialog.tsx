import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import type { SessionDto } from '@muster/contract'
import { isApiError } from '@muster/sdk'
import { api } from '../../api/client.ts'
import { endSession } from '../../api/end-session.ts'
import { wrongOr } from '../../api/wrong-or.ts'
import { sessionQuery } from '../../api/queries/session.ts'
import { queryClient } from '../../api/query-client.ts'
import { notifyOtherTabs } from '../../session/other-tabs.ts'

export function ChangePasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages()
  const session = useSession()
  const [original, setOriginal] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setTried] = useState(false)
  const change = useMutation({
    mutationFn: () => changePassword(session, { original, next }),
    onSuccess(outcome) {
      if (outcome === 'wrong') return
      showToast(t.me.passwordChanged)
      onClose()
    },
  })
  const problem = problemsOf(change.error, 'user')['password']
  const isWrong = change.data === 'wrong'
  return (
    <FormDialog
      title={t.me.changePassword}
      submit={t.me.changePassword}
      onSubmit={() => {
        setTried(true)
        if (next === again) change.mutate()
      }}
      onClose={onClose}
      busy={change.isPending}
      error={change.error}
      isShownByFields={isWrong || isShownByFields(change.error, 'user', ['password'])}
    >
      <p>{t.me.changePasswordText}</p>
      <TextField
        label={t.me.currentPassword}
        type="password"
        autoComplete="current-password"
        required
        value={original}
        onChange={(event) => setOriginal(event.target.value)}
        error={isWrong ? t.me.wrongPassword : undefined}
      />
      <TextField
        label={t.me.newPassword}
        hint={t.me.newPasswordHint}
        type="password"
        autoComplete="new-password"
        required
        value={next}
        onChange={(event) => setNext(event.target.value)}
        error={problem === undefined ? undefined : t.me.problem(t.me.newPassword, problem)}
      />
      <TextField
        label={t.me.repeatPassword}
        type="password"
        autoComplete="new-password"
        required
        value={again}
        onChange={(event) => setAgain(event.target.value)}
        error={isTried && next !== again ? t.me.differs : undefined}
      />
    </FormDialog>
  )
}

interface Passwords {
  readonly original: string
  readonly next: string
}

/**
 * Changes the password and logs in again, since the change ends all sessions of the user. Who has a second
 * factor logs in on the login page.
 */
async function changePassword(
  { user, scope }: SessionDto,
  { original, next }: Passwords,
): Promise<'changed' | 'wrong'> {
  const outcome = await wrongOr(() =>
    api.changeOwnPassword({
      parameters: { id: user.id },
      body: { user: { original_password: original, password: next } },
    }),
  )
  if (outcome === 'wrong') return 'wrong'
  try {
    const { session } = await api.createSession({
      body: {
        name: user.name,
        domain: user.domain.name,
        password: next,
        ...(scope.kind !== 'none' && { scope: { [`${scope.kind}_id`]: scope.id } }),
      },
    })
    queryClient.setQueryData(sessionQuery.queryKey, session)
    notifyOtherTabs('changed')
  } catch (error) {
    if (!isApiError(error, 'FactorRequiredError')) throw error
    endSession('ended')
    return 'changed'
  }
  await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  return 'changed'
}
