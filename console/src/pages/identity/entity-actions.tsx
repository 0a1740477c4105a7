import type { UserDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { updateEntity } from '../../api/entities.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { CheckDialog } from './check-dialog.tsx'
import { isBuiltIn } from './built-in.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { DisableDialog } from './disable-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { NewPasswordLinkDialog } from './password-link-dialog.tsx'
import { EntityFormDialog } from './entity-form-dialog.tsx'

interface Props {
  readonly kind: Kind
  readonly entity: AnyEntity
}

type Opened = 'edit' | 'disable' | 'delete' | 'password' | 'link' | 'check'

/** The actions on an entity. */
export function EntityActions({ kind, entity }: Props) {
  const t = useMessages()
  const operations = kindOperations[kind]
  const canUpdate = usePermission(operations.update)
  const canDelete = usePermission(operations.delete)
  const builtInReason = isBuiltIn(kind, entity) ? t.identity.builtIn : undefined
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
        <>
          <Button icon="key" disabledReason={canUpdate.reason} onClick={() => open('password')}>
            {t.identity.resetPassword}
          </Button>
          <Button disabledReason={canUpdate.reason} onClick={() => open('link')}>
            {t.identity.passwordLink}
          </Button>
        </>
      )}
      <Button icon="edit" disabledReason={canUpdate.reason} onClick={() => open('edit')}>
        {t.common.edit}
      </Button>
      {'enabled' in entity &&
        (entity.enabled ? (
          <Button
            disabledReason={canUpdate.reason ?? builtInReason}
            onClick={() => open('disable')}
          >
            {t.identity.disable}
          </Button>
        ) : (
          <EnableButton kind={kind} entity={entity} reason={canUpdate.reason} />
        ))}
      <Button
        look="danger"
        icon="trash"
        disabledReason={
          canDelete.reason ??
          builtInReason ??
          (kind === 'domains' && 'enabled' in entity && entity.enabled
            ? t.identity.stillEnabled
            : undefined)
        }
        onClick={() => open('delete')}
      >
        {t.common.delete}
      </Button>
      {opened === 'edit' && <EntityFormDialog kind={kind} entity={entity} onClose={close} />}
      {opened === 'disable' && <DisableDialog kind={kind} entity={entity} onClose={close} />}
      {opened === 'delete' && <DeleteDialog kind={kind} entity={entity} onClose={close} />}
      {opened === 'password' && <PasswordDialog user={entity as UserDto} onClose={close} />}
      {opened === 'link' && <NewPasswordLinkDialog user={entity as UserDto} onClose={close} />}
      {opened === 'check' && (
        <CheckDialog onClose={close} {...(kind === 'users' && { user: entity as UserDto })} />
      )}
    </>
  )
}

function EnableButton({ kind, entity, reason }: Props & { readonly reason: string | undefined }) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const enable = useMutation({
    mutationFn: () => updateEntity(kind, entity.id, { enabled: true }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(t.identity.wasEnabled(entity.name))
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
