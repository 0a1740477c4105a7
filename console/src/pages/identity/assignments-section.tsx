import type { ProjectDto } from '@muster/contract'
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { assignmentsQuery } from '../../api/queries/assignments.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { roleText } from '../../session/role-text.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { Table } from '../../ui/table.tsx'
import { toAssignment, type Assignment, toGrant } from './assignment.ts'
import { GiveAccessDialog } from './give-access-dialog.tsx'
import { GrantDialog } from './grant-dialog.tsx'
import { operationOf, toAssignmentQuery, type AssignmentContext } from './assignment-context.ts'
import { useAssignmentColumns } from './use-assignment-columns.tsx'
import { revokeRole } from '../../api/grants.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'

interface Props {
  readonly of: AssignmentContext
  /** Of a page of a project. */
  readonly project?: ProjectDto
}

/** The role assignments of one entity, with grant and revoke. */
export function AssignmentsSection({ of, project }: Props) {
  const t = useAllMessages()
  const format = useFormat()
  const [isGranting, setGranting] = useState(false)
  const [revoking, setRevoking] = useState<Assignment>()
  const query = useQuery(assignmentsQuery(toAssignmentQuery(of)))
  const columns = useAssignmentColumns(of.kind, setRevoking)
  const scope = of.kind === 'domain' ? 'domain' : 'project'
  const canGrant = usePermission(
    operationOf('grant', scope, of.kind === 'group' ? 'group' : 'user'),
  )
  const texts = {
    project: { title: t.identity.roleAssignments, none: t.identity.noAssignments },
    domain: { title: t.identity.roleAssignments, none: t.identity.noAssignments },
    user: { title: t.identity.roleAssignments, none: t.identity.noRoles },
    group: { title: t.identity.roleAssignments, none: t.identity.noRoles },
    role: { title: t.identity.roleAssignments, none: t.identity.roleUnassigned },
  }[of.kind]
  return (
    <Section
      title={texts.title}
      actions={
        <Button
          small
          icon="plus"
          disabledReason={canGrant.reason}
          onClick={() => setGranting(true)}
        >
          {project ? t.identity.giveAccess : t.identity.grant}
        </Button>
      }
    >
      <QueryView
        query={query}
        isEmpty={({ assignments }) => assignments.length === 0}
        empty={<Nothing>{texts.none}</Nothing>}
      >
        {({ assignments, hasMore }) => (
          <>
            <Table
              caption={texts.title}
              columns={columns}
              rows={assignments.map(toAssignment)}
              rowKey={({ key }) => key}
            />
            {hasMore && <p>{t.identity.moreAssignments(format.number(assignments.length))}</p>}
          </>
        )}
      </QueryView>
      {isGranting &&
        (project ? (
          <GiveAccessDialog project={project} onClose={() => setGranting(false)} />
        ) : (
          <GrantDialog of={of} onClose={() => setGranting(false)} />
        ))}
      {revoking && <RevokeDialog assignment={revoking} onClose={() => setRevoking(undefined)} />}
    </Section>
  )
}

interface RevokeDialogProps {
  readonly assignment: Assignment
  readonly onClose: () => void
}

function RevokeDialog({ assignment, onClose }: RevokeDialogProps) {
  const t = useAllMessages()
  const queryClient = useQueryClient()
  const { role, principal, scope } = assignment
  const { label } = roleText(t, role)
  const revoke = useMutation({
    mutationFn: () => revokeRole(toGrant(assignment)),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['role_assignments'] })
      showToast(t.identity.revoked(label, principal.name))
      onClose()
    },
  })
  const where = scope.kind === 'system' ? t.identity.system : scope.name
  return (
    <FormDialog
      title={t.identity.revokeTitle(label)}
      submit={t.identity.revoke}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
      busy={revoke.isPending}
      error={revoke.error}
      danger
    >
      <p>{t.identity.revokeText(label, principal.name, where)}</p>
    </FormDialog>
  )
}
