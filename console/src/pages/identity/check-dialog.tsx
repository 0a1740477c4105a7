import type { PolicyAction, PolicyCheckRequest, PolicyService, UserDto } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../api/client.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useSession } from '../../session/use-session.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { CheckAnswer } from './check-answer.tsx'
import styles from './check-dialog.module.css'
import { pick } from './pick.ts'
import { policyActions, policyServices } from './policy-options.ts'
import { EntityPicker } from './entity-picker.tsx'
import { useChoices } from './use-choices.ts'
import { usePolicyResources } from './use-policy-resources.ts'

interface Props {
  /** The preselected user. */
  readonly user?: UserDto
  readonly onClose: () => void
}

type ScopeKind = 'project' | 'domain'
type Check = PolicyCheckRequest['check']

/** Checks whether a user may do something, and shows the deciding rule. */
export function CheckDialog({ user, onClose }: Props) {
  const t = useAllMessages()
  const { scope } = useSession()
  const listId = useId()
  const [who, setWho] = useState(user?.name ?? '')
  const [scopeKind, setScopeKind] = useState<ScopeKind>(
    scope.kind === 'domain' ? 'domain' : 'project',
  )
  const [scopeName, setScopeName] = useState(scope.name)
  const [service, setService] = useState<PolicyService>('compute')
  const [resource, setResource] = useState('servers')
  const [action, setAction] = useState<PolicyAction>('list')
  const [target, setTarget] = useState('')
  const [isTried, setTried] = useState(false)
  const users = useChoices('users')
  const scopeChoices = useChoices(scopeKind === 'domain' ? 'domains' : 'projects')
  const resources = usePolicyResources(service)

  const userId = user && who === user.name ? user.id : pick(who, users)
  const scopeId =
    scopeName === scope.name && scopeKind === scope.kind ? scope.id : pick(scopeName, scopeChoices)
  const isWhoMissing = who.trim() !== '' && userId === undefined
  const check = useMutation({
    mutationFn: async (wanted: Check) => (await api.checkPolicy({ body: { check: wanted } })).check,
  })
  const problems = problemsOf(check.error, 'check')

  function submit(): void {
    setTried(true)
    if (isWhoMissing || scopeId === undefined) return
    check.mutate({
      ...(userId !== undefined && { user_id: userId }),
      [`${scopeKind}_id`]: scopeId,
      service,
      resource,
      action,
      ...(target.trim() !== '' && { target_id: target.trim() }),
    })
  }

  return (
    <FormDialog
      title={t.identity.checkTitle}
      submit={t.identity.runCheck}
      onSubmit={submit}
      onClose={onClose}
      busy={check.isPending}
      error={check.error}
      isShownByFields={isShownByFields(check.error, 'check', ['resource', 'target_id'])}
    >
      <p>{t.identity.checkLead}</p>
      <EntityPicker
        kind="users"
        label={t.identity.checkUser}
        hint={t.identity.checkUserHint}
        text={who}
        onText={setWho}
        error={isTried && isWhoMissing ? t.identity.notPicked : undefined}
      />
      <div className={styles.pair}>
        <SelectField
          label={t.identity.checkScope}
          value={scopeKind}
          onChange={(event) => setScopeKind(event.target.value as ScopeKind)}
        >
          <option value="project">{t.identity.levels.project}</option>
          <option value="domain">{t.identity.levels.domain}</option>
        </SelectField>
        <EntityPicker
          kind={scopeKind === 'domain' ? 'domains' : 'projects'}
          label={t.identity.checkScopeId[scopeKind]}
          required
          text={scopeName}
          onText={setScopeName}
          error={isTried && scopeId === undefined ? t.identity.notPicked : undefined}
        />
      </div>
      <div className={styles.triple}>
        <SelectField
          label={t.identity.action}
          value={action}
          onChange={(event) => setAction(event.target.value as PolicyAction)}
        >
          {policyActions.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <SelectField
          label={t.identity.service}
          value={service}
          onChange={(event) => setService(event.target.value as PolicyService)}
        >
          {policyServices.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField
          label={t.identity.resource}
          required
          list={listId}
          value={resource}
          onChange={(event) => setResource(event.target.value)}
          error={problems['resource']}
        />
      </div>
      <datalist id={listId}>
        {resources.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <TextField
        label={t.identity.checkTarget}
        hint={t.identity.checkTargetHint}
        value={target}
        onChange={(event) => setTarget(event.target.value)}
        error={problems['target_id']}
      />
      <div role="status">{check.data && <CheckAnswer check={check.data} />}</div>
    </FormDialog>
  )
}
