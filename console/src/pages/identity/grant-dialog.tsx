import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { grantRole, type Grant } from '../../api/grants.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { SelectField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { pick } from './pick.ts'
import type { AssignmentContext } from './assignment-context.ts'
import { EntityPicker } from './entity-picker.tsx'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly of: AssignmentContext
  readonly onClose: () => void
}

const principalKinds = { user: 'users', group: 'groups' } as const
const scopeKinds = { project: 'projects', domain: 'domains' } as const
type PrincipalKind = keyof typeof principalKinds
type ScopeKind = keyof typeof scopeKinds | 'system'

/** Grants a role. The entity of the page is fixed; the rest is chosen. */
export function GrantDialog({ of, onClose }: Props) {
  const t = useAllMessages()
  const queryClient = useQueryClient()
  const isPrincipal = of.kind === 'user' || of.kind === 'group'
  const isScope = of.kind === 'project' || of.kind === 'domain'
  const [principalKind, setPrincipalKind] = useState<PrincipalKind>(
    of.kind === 'group' ? 'group' : 'user',
  )
  const [scopeKind, setScopeKind] = useState<ScopeKind>(of.kind === 'domain' ? 'domain' : 'project')
  const [principal, setPrincipal] = useState('')
  const [scopeName, setScopeName] = useState('')
  const [role, setRole] = useState('')
  const [isTried, setTried] = useState(false)
  const principals = useChoices(principalKinds[principalKind])
  const scopeChoices = useChoices(scopeKind === 'system' ? 'domains' : scopeKinds[scopeKind])
  const roles = useChoices('roles')

  const principalId = isPrincipal ? of.id : pick(principal, principals)
  const scopeId = isScope ? of.id : pick(scopeName, scopeChoices)
  const roleId = of.kind === 'role' ? of.id : pick(role, roles)
  const isScoped = scopeKind === 'system' || scopeId !== undefined
  const grant = useMutation({
    mutationFn: (wanted: Grant) => grantRole(wanted),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['role_assignments'] })
      const [what, who] = [of.kind === 'role' ? of.name : role, isPrincipal ? of.name : principal]
      showToast(t.identity.granted(what, who))
      onClose()
    },
  })
  const missing = (id: string | undefined) =>
    isTried && id === undefined ? t.identity.notPicked : undefined

  function submit(): void {
    setTried(true)
    if (principalId === undefined || roleId === undefined || !isScoped) return
    grant.mutate({
      roleId,
      principal: { kind: principalKind, id: principalId },
      scope: scopeKind === 'system' ? { kind: 'system' } : { kind: scopeKind, id: scopeId ?? '' },
    })
  }

  return (
    <FormDialog
      title={t.identity.grantTitle(of.name)}
      submit={t.identity.grant}
      onSubmit={submit}
      onClose={onClose}
      busy={grant.isPending}
      error={grant.error}
    >
      {!isPrincipal && (
        <>
          <SelectField
            label={t.identity.principalKind}
            value={principalKind}
            onChange={(event) => setPrincipalKind(event.target.value as PrincipalKind)}
          >
            <option value="user">{t.identity.user}</option>
            <option value="group">{t.identity.group}</option>
          </SelectField>
          <EntityPicker
            kind={principalKinds[principalKind]}
            label={t.identity.who}
            required
            text={principal}
            onText={setPrincipal}
            error={missing(principalId)}
          />
        </>
      )}
      {of.kind !== 'role' && (
        <EntityPicker
          kind="roles"
          label={t.identity.role}
          required
          text={role}
          onText={setRole}
          error={missing(roleId)}
        />
      )}
      {!isScope && (
        <>
          <SelectField
            label={t.identity.where}
            value={scopeKind}
            onChange={(event) => setScopeKind(event.target.value as ScopeKind)}
          >
            <option value="project">{t.identity.levels.project}</option>
            <option value="domain">{t.identity.levels.domain}</option>
            <option value="system">{t.identity.levels.system}</option>
          </SelectField>
          {scopeKind !== 'system' && (
            <EntityPicker
              kind={scopeKinds[scopeKind]}
              label={t.identity.checkScopeId[scopeKind]}
              required
              text={scopeName}
              onText={setScopeName}
              error={missing(scopeId)}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
