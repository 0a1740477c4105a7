import type { UserDto } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { kindOperations, type AnyEntity, type Kind } from '../../api/kind-operations.ts'
import { updateEntity } from '../../api/entities.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
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
  const t = useAllMessages()
  const operations = kindOperations[kind]
  const canUpdate = usePermission(operations.update)
  const canDelete = usePermission(operations.delete)
  const builtInReason = isBuiltIn(kind, entity) ? t.identity.builtIn : undefined
  const [opened, open] = useState<Opened>()
  const close = () => open(undefined)
  const isServiceAccount = 'service_account' in entity && entity.service_account
  return (
    <>
      {(kind === 'users' || kind === 'policies') && (
        <Button icon="search" onClick={() => open('check')}>
          {t.identity.check}
        </Button>
      )}
      {kind === 'users' && !isServiceAccount && (
        <>
          <Button icon="key" disabledReason={canUpdate.reason} onClick={() => open('password')}>
            {t.identity.resetPassword}
          </Button>
          <Button disabledReason={canUpdate.reason} onClick={() => open('link')}>
            {t.identity.passwordLink}
          </Button>
          <BreakGlassButton user={entity as UserDto} reason={canUpdate.reason} />
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
          <ChangeButton
            kind={kind}
            entity={entity}
            changes={{ enabled: true }}
            reason={canUpdate.reason}
            done={t.identity.wasEnabled(entity.name)}
          >
            {t.identity.enable}
          </ChangeButton>
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
      {opened === 'edit' && (
        <EntityFormDialog {...{ kind, entity, isServiceAccount }} onClose={close} />
      )}
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

interface ChangeProps extends Props {
  readonly changes: Readonly<Record<string, unknown>>
  readonly reason: string | undefined
  readonly done: string
  readonly children: string
}

/** Changes an entity at once, because it can be undone as easily. */
function ChangeButton({ kind, entity, changes, reason, done, children }: ChangeProps) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: () => updateEntity(kind, entity.id, changes),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: [kind] })
      showToast(done)
    },
  })
  return (
    <>
      <Button busy={change.isPending} disabledReason={reason} onClick={() => change.mutate()}>
        {children}
      </Button>
      {change.isError && <ErrorNotice error={change.error} />}
    </>
  )
}

interface BreakGlassProps {
  readonly user: UserDto
  readonly reason: string | undefined
}

function BreakGlassButton({ user, reason }: BreakGlassProps) {
  const { identity: t } = useAllMessages()
  const { name, break_glass: isMarked } = user
  return (
    <ChangeButton
      kind="users"
      entity={user}
      changes={{ break_glass: !isMarked }}
      reason={reason}
      done={isMarked ? t.breakGlassUnmarked(name) : t.breakGlassMarked(name)}
    >
      {isMarked ? t.unmarkBreakGlass : t.markBreakGlass}
    </ChangeButton>
  )
}
