import type { UserDto } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx'

export interface PasswordLink {
  /** Of the user. */
  readonly name: string
  readonly secret: string
  readonly expires_at: string
}

interface Props {
  readonly link: PasswordLink
  readonly onClose: () => void
}

/** Shows a link once. The secret is in the fragment, which browsers do not send to servers. */
export function PasswordLinkDialog({ link: { name, secret, expires_at }, onClose }: Props) {
  const t = useAllMessages()
  const { dateTime } = useFormat()
  const url = `${location.origin}${import.meta.env.BASE_URL}password#${secret}`
  return (
    <ShownOnceDialog
      title={t.identity.passwordLinkTitle(name)}
      warning={t.identity.passwordLinkWarning}
      onClose={onClose}
    >
      <p>{t.identity.passwordLinkText(name, dateTime(expires_at))}</p>
      <p>
        <Copyable value={url} />
      </p>
    </ShownOnceDialog>
  )
}

/** Creates a link for a user who exists. */
export function NewPasswordLinkDialog({
  user: { id, name },
  onClose,
}: {
  readonly user: UserDto
  readonly onClose: () => void
}) {
  const { identity: t } = useAllMessages()
  const [link, setLink] = useState<PasswordLink>()
  const create = useMutation({
    // The result has a secret: do not cache it.
    gcTime: 0,
    mutationFn: async () => (await api.createPasswordLink({ parameters: { id } })).password_link,
    onSuccess: (made) => setLink({ ...made, name }),
  })
  if (link) return <PasswordLinkDialog link={link} onClose={onClose} />
  return (
    <FormDialog
      title={t.passwordLink}
      submit={t.createPasswordLink}
      onSubmit={() => create.mutate()}
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
    >
      <p>{t.passwordLinkLead(name)}</p>
    </FormDialog>
  )
}
