import type { DomainDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** Who of a domain can log in with a password of Muster. */
export function LocalPasswordsSection({ domain }: { readonly domain: DomainDto }) {
  const { identity: t } = useAllMessages()
  const permission = usePermission('updateLocalPasswords')
  const [isOpen, open] = useState(false)
  const isOn = domain.local_passwords === 'on'
  return (
    <Section
      title={t.localPasswords}
      actions={
        <Button small disabledReason={permission.reason} onClick={() => open(true)}>
          {isOn ? t.restrictPasswords : t.allowPasswords}
        </Button>
      }
    >
      <p>
        {isOn ? t.passwordsOn : t.passwordsRestricted}{' '}
        {!isOn && <TimeAgo time={domain.local_passwords_since} />}
      </p>
      {isOpen && <LocalPasswordsDialog domain={domain} onClose={() => open(false)} />}
    </Section>
  )
}

interface Props {
  readonly domain: DomainDto
  readonly onClose: () => void
}

/** Switches once the administrator has seen who loses access. */
function LocalPasswordsDialog({ domain, onClose }: Props) {
  const { identity: t } = useAllMessages()
  const { number } = useFormat()
  const queryClient = useQueryClient()
  const isOn = domain.local_passwords === 'on'
  const value = isOn ? 'break_glass' : 'on'
  const send = async (body: { readonly dry_run: true } | { readonly preview?: string }) => {
    const parameters = { id: domain.id }
    const request = { local_passwords: { value, ...body } } as const
    return (await api.updateLocalPasswords({ parameters, body: request })).local_passwords
  }
  const preview = useMutation({ mutationFn: () => send({ dry_run: true }) })
  const seen = preview.data
  const change = useMutation({
    mutationFn: () => send(seen ? { preview: seen.preview } : {}),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['domains'] })
      showToast(isOn ? t.passwordsNowRestricted : t.passwordsNowOn)
      onClose()
    },
    onError: () => preview.reset(),
  })
  const canSubmit = !isOn || seen !== undefined
  const title = isOn ? t.restrictPasswords : t.allowPasswords
  const more = seen ? seen.lose_access - seen.lose_access_users.length : 0
  const names = (seen?.lose_access_users ?? []).map(({ name }) => name).join(', ')
  return (
    <FormDialog
      title={title}
      submit={canSubmit ? title : t.previewLink}
      onSubmit={() => (canSubmit ? change.mutate() : preview.mutate())}
      onClose={onClose}
      busy={preview.isPending || change.isPending}
      error={preview.error ?? change.error}
      danger={isOn && seen !== undefined}
      disabledReason={seen && seen.problem !== '' ? seen.problem : undefined}
    >
      <p>{isOn ? t.restrictPasswordsText : t.allowPasswordsText}</p>
      {seen && (
        <div role="status">
          <p>{t.losePassword(number(seen.lose_password), number(seen.lose_access))}</p>
          {names !== '' && <p>{t.loseAccess(names, more, number(more))}</p>}
          <p>{t.breakGlassUsers(seen.break_glass_users.map(({ name }) => name).join(', '))}</p>
          {seen.problem !== '' && <p>{seen.problem}</p>}
        </div>
      )}
    </FormDialog>
  )
}
