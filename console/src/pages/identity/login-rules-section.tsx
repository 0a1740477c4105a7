import type { DomainDto, LoginRules } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/show-toast.ts'

const times = ['token_lifetime', 'session_lifetime', 'session_idle'] as const
const minute = 60

/** How long and from where users of a domain are logged in. */
export function LoginRulesSection({ domain }: { readonly domain: DomainDto }) {
  const { identity: t } = useAllMessages()
  const { span } = useFormat()
  const permission = usePermission('updateLoginRules')
  const [isOpen, open] = useState(false)
  const rules = domain.login_rules
  return (
    <Section
      title={t.loginRules}
      lead={t.loginRulesLead}
      actions={
        <Button small disabledReason={permission.reason} onClick={() => open(true)}>
          {t.editLoginRules}
        </Button>
      }
    >
      <PropertyList>
        {times.map((name) => (
          <Property key={name} label={t.loginRuleFields[name]}>
            {rules[name] === null ? t.noLimit : span(rules[name], true)}
          </Property>
        ))}
        <Property label={t.loginRuleFields.networks}>
          {rules.networks.join(', ') || t.anyNetwork}
        </Property>
      </PropertyList>
      {isOpen && <LoginRulesDialog domain={domain} onClose={() => open(false)} />}
    </Section>
  )
}

type Input = Readonly<Record<keyof LoginRules, string>>

const toInput = (rules: LoginRules): Input => {
  const minutes = (seconds: number | null) => (seconds === null ? '' : String(seconds / minute))
  return {
    token_lifetime: minutes(rules.token_lifetime),
    session_lifetime: minutes(rules.session_lifetime),
    session_idle: minutes(rules.session_idle),
    networks: rules.networks.join('\n'),
  }
}

function toRules(input: Input): LoginRules {
  const seconds = (text: string) => (text === '' ? null : Math.round(Number(text) * minute))
  return {
    token_lifetime: seconds(input.token_lifetime),
    session_lifetime: seconds(input.session_lifetime),
    session_idle: seconds(input.session_idle),
    networks: input.networks.split(/[\s,]+/).filter(Boolean),
  }
}

interface Props {
  readonly domain: DomainDto
  readonly onClose: () => void
}

/** Saves once the administrator has seen who is affected. */
function LoginRulesDialog({ domain, onClose }: Props) {
  const { identity: t } = useAllMessages()
  const { number } = useFormat()
  const queryClient = useQueryClient()
  const [input, setInput] = useState(() => toInput(domain.login_rules))
  const send = async (dry_run: boolean) => {
    const body = { login_rules: { ...toRules(input), dry_run } }
    return (await api.updateLoginRules({ parameters: { id: domain.id }, body })).login_rules
  }
  const preview = useMutation({ mutationFn: () => send(true) })
  const seen = preview.data
  const save = useMutation({
    mutationFn: () => send(false),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['domains'] })
      showToast(t.rulesSaved)
      onClose()
    },
  })
  const change =
    (name: keyof Input) => (event: { readonly target: { readonly value: string } }) => {
      setInput({ ...input, [name]: event.target.value })
      preview.reset()
      save.reset()
    }
  const error = preview.error ?? save.error
  const problems = problemsOf(error, 'login_rules', 1)
  const problemOf = (name: keyof Input) => {
    const problem = problems[name]
    return problem === undefined ? {} : { error: problem }
  }
  const names = (seen?.outside_users ?? []).map(({ name }) => name).join(', ')
  return (
    <FormDialog
      title={t.loginRules}
      submit={seen ? t.saveRules : t.previewRules}
      onSubmit={() => (seen ? save.mutate() : preview.mutate())}
      onClose={onClose}
      busy={preview.isPending || save.isPending}
      error={error}
      isShownByFields={isShownByFields(error, 'login_rules', [...times, 'networks'])}
      disabledReason={seen && seen.problem !== '' ? seen.problem : undefined}
    >
      {times.map((name) => (
        <TextField
          key={name}
          label={t.loginRuleFields[name]}
          hint={t.minutesHint}
          type="number"
          min={5}
          step="any"
          value={input[name]}
          onChange={change(name)}
          {...problemOf(name)}
        />
      ))}
      <LongTextField
        label={t.loginRuleFields.networks}
        hint={t.networksHint}
        rows={4}
        value={input.networks}
        onChange={change('networks')}
        {...problemOf('networks')}
      />
      {seen && (
        <div role="status">
          <p>{t.rulesEnd(number(seen.ended_tokens), number(seen.ended_sessions))}</p>
          {seen.outside > 0 && <p>{t.rulesOutside(number(seen.outside), names)}</p>}
          {seen.problem !== '' && <p>{seen.problem}</p>}
        </div>
      )}
    </FormDialog>
  )
}
