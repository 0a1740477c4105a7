import { useMutation, useQueryClient } from '@tanstack/react-query'
import { revokeRole } from '../../api/grants.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { showToast } from '../../ui/show-toast.ts'
import { toGrant, type Assignment } from './assignment.ts'

interface Props {
  readonly assignment: Assignment
  readonly onClose: () => void
}

export function RevokeDialog({ assignment, onClose }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const { role, principal, scope } = assignment
  const revoke = useMutation({
    mutationFn: () => revokeRole(toGrant(assignment)),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['role_assignments'] })
      showToast(t.identity.revoked(role.name, principal.name))
      onClose()
    },
  })
  const where = scope.kind === 'system' ? t.identity.system : scope.name
  return (
    <FormDialog
      title={t.identity.revokeTitle(role.name)}
      submit={t.identity.revoke}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
      busy={revoke.isPending}
      error={revoke.error}
      danger
    >
      <p>{t.identity.revokeText(role.name, principal.name, where)}</p>
    </FormDialog>
  )
}
