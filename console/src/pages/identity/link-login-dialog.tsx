import type { UserDto } from '@muster/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { identityProvidersQuery, linkedLoginsQuery } from '../../api/queries/linked-logins.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly user: UserDto
  readonly onClose: () => void
}

/** Links a login at an identity provider to a user, once the administrator has seen what would happen. */
export function LinkLoginDialog({ user, onClose }: Props) {
  const { identity: t } = useAllMessages()
  const queryClient = useQueryClient()
  const { data: providers = [] } = useQuery(identityProvidersQuery(user.domain_id))
  const [chosen, choose] = useState('')
  const [subject, setSubject] = useState('')
  const provider = providers.find(({ id }) => id === chosen) ?? providers[0]
  const send = async (dry_run: boolean) => {
    const login = { user_id: user.id, provider_id: provider?.id ?? '', subject }
    const { linked_logins } = await api.linkLogins({ body: { dry_run, linked_logins: [login] } })
    return linked_logins[0]
  }
  const preview = useMutation({ mutationFn: () => send(true) })
  const link = useMutation({
    mutationFn: () => send(false),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: linkedLoginsQuery(user.id).queryKey })
      showToast(t.loginLinked(provider?.name ?? ''))
      onClose()
    },
  })
  const isPreviewed = preview.data?.result === 'link'
  return (
    <FormDialog
      title={t.linkLogin}
      submit={isPreviewed ? t.linkLogin : t.previewLink}
      onSubmit={() => (isPreviewed ? link.mutate() : preview.mutate())}
      onClose={onClose}
      busy={preview.isPending || link.isPending}
      error={preview.error ?? link.error}
      disabledReason={provider ? undefined : t.noProviders}
    >
      <SelectField
        label={t.provider}
        value={provider?.id ?? ''}
        onChange={(event) => {
          preview.reset()
          choose(event.target.value)
        }}
      >
        {providers.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t.subject}
        hint={t.subjectHint}
        required
        value={subject}
        onChange={(event) => {
          preview.reset()
          setSubject(event.target.value)
        }}
        error={preview.data?.result === 'refused' ? preview.data.problem : undefined}
      />
      {isPreviewed && <p role="status">{t.wouldLink(user.name, provider?.name ?? '')}</p>}
      {preview.data?.result === 'unchanged' && <p role="status">{t.isLinked}</p>}
    </FormDialog>
  )
}
