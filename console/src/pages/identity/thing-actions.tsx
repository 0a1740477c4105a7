import type { UserView } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { kindOperations, type AnyThing, type Kind } from '../../api/kind-operations.ts'
import { updateThing } from '../../api/things.ts'
import { useMay } from '../../session/use-may.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { CheckDialog } from './check-dialog.tsx'
import { isBuiltIn } from './built-in.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { DisableDialog } from './disable-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { ThingFormDialog } from './thing-form-dialog.tsx'

interface Props {
  readonly kind: Kind
  readonly thing: AnyThing
}

type Opened = 'edit' | 'disable' | 'delete' | 'password' | 'check'

/** What can be done to a thing; what the caller may not do says why. */
export function ThingActions({ kind, thing }: Props) {
  const t = useMessages()
  const operations = kindOperations[kind]
  const mayUpdate = useMay(operations.update)
  const mayDelete = useMay(operations.delete)
  const builtInReason = isBuiltIn(kind, thing) ? t.identity.builtIn : undefined
  const [opened, open] = useState<Opened>()
  const close = () => open(undefined)
  return (
    <>
      {(kind === 'users' || kind === 'policies') && (
        <Button icon="search" onClick={() => open('check')}>
          {t.identity.check}
        </Button>
      )}
      {kind === 'users' && (
        <Button icon="key" disabledReason={mayUpdate.reason} onClick={() => open('password')}>
          {t.identity.resetPassword}
        </Button>
      )}
      <Button icon="edit" disabledReason={mayUpdate.reason} onClick={() => open('edit')}>
        {t.common.edit}
      </Button>
      {'enabled' in thing &&
        (thing.enabled ? (
          <Button
            disabledReason={mayUpdate.reason ?? builtInReason}
            onClick={() => open('disable')}
          >
            {t.identity.disable}
          </Button>
        ) : (
          <EnableButton kind={kind} thing={thing} reason={mayUpdate.reason} />
        ))}
      <Button
        look="danger"
        icon="trash"
        disabledReason={
          mayDelete.reason ??
          builtInReason ??
          (kind === 'domains' && 'enabled' in thing && thing.enabled
            ? t.identity.stillEnabled
            : undefined)
        }
        onClick={() => open('delete')}
      >
        {t.common.delete}
      </Button>
      {opened === 'edit' && <ThingFormDialog kind={kind} thing={thing} onClose={close} />}
      {opened === 'disable' && <DisableDialog kind={kind} thing={thing} onClose={close} />}
      {opened === 'delete' && <DeleteDialog kind={kind} thing={thing} onClose={close} />}
      {opened === 'password' && <PasswordDialog user={thing as UserView} onClose={close} />}
      {opened === 'check' && (
        <CheckDialog onClose={close} {...(kind === 'users' && { user: thing as UserView })} />
      )}
    </>
  )
}

function EnableButton({ kind, thing, reason }: Props & { readonly reason: string | undefined }) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const enable = useMutation({
    mutationFn: () => updateThing(kind, thing.id, { enabled: true }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(t.identity.wasEnabled(thing.name))
    },
  })
  return (
    <>
      <Button busy={enable.isPending} disabledReason={reason} onClick={() => enable.mutate()}>
        {t.identity.enable}
      </Button>
      {enable.isError && <ErrorNotice error={enable.error} />}
    </>
  )
}
