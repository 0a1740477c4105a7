import type { NewCredentialDto, UserDto } from '@muster/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { userProjectsQuery } from '../../api/queries/relations.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { ProjectField } from '../../form/project-field.tsx'
import { useOwnProjects } from '../../session/use-own-projects.ts'
import { useNames } from '../identity/use-choices.ts'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { noRestriction, toRestriction } from './key-restriction.ts'
import { RestrictionFields } from './restriction-fields.tsx'
import { keyExpiry, keyLifetimes, type KeyLifetime } from './key-expiry.ts'

interface Props {
  /** A service account. Without it, the key is for the person who is logged in. */
  readonly user?: UserDto
  readonly onClose: () => void
  readonly onMade: (key: NewCredentialDto) => void
}

export function CreateKeyDialog({ user, onClose, onMade }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const { scope } = useSession()
  const own = useOwnProjects()
  const { data: held } = useQuery({
    ...userProjectsQuery(user?.id ?? ''),
    enabled: user !== undefined,
  })
  const domains = useNames('domains')
  const projects = user
    ? (held ?? []).map(({ id, name, domain_id }) => ({
        id,
        name,
        domain: domains.get(domain_id) ?? domain_id,
      }))
    : own
  const here = projects.find(({ id }) => scope.kind === 'project' && id === scope.id)
  const [name, setName] = useState('')
  const [chosen, setProject] = useState<string>()
  const project = chosen ?? (here ?? projects[0])?.id ?? ''
  const [ending, setEnding] = useState<KeyLifetime>('90')
  const [date, setDate] = useState('')
  const [draft, setDraft] = useState(noRestriction)
  const create = useMutation({
    mutationFn: async () => {
      const end = keyExpiry(ending, date, Date.now())
      const restriction = toRestriction(draft, project)
      const credential = {
        type: 'aksk' as const,
        name,
        project_id: project,
        ...(user && { user_id: user.id }),
        ...(end !== undefined && { expires_at: end }),
        ...(restriction && { restriction }),
      }
      return (await api.createCredential({ body: { credential } })).credential
    },
    async onSuccess(made) {
      onMade(made)
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
    },
  })
  const problems = problemsOf(create.error, 'credential')
  const problem = (field: string, label: string) => {
    const found = problems[field]
    return found === undefined ? undefined : t.me.problem(label, found)
  }
  return (
    <FormDialog
      title={t.me.createKey}
      submit={t.me.createKey}
      onSubmit={() => create.mutate()}
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      isShownByFields={isShownByFields(create.error, 'credential', [
        'name',
        'project_id',
        'expires_at',
        'restriction',
      ])}
    >
      <TextField
        label={t.me.name}
        hint={t.me.nameHint}
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem('name', t.me.name)}
      />
      <ProjectField
        label={t.me.project}
        choices={projects}
        value={project}
        onChange={setProject}
        error={problem('project_id', t.me.project)}
      />
      <SelectField
        label={t.me.expiresAfter}
        value={ending}
        onChange={(event) => setEnding(event.target.value as KeyLifetime)}
        error={ending === 'date' ? undefined : problem('expires_at', t.me.expiresAfter)}
      >
        {keyLifetimes.map((each) => (
          <option key={each} value={each}>
            {t.me.lifetimes[each]}
          </option>
        ))}
      </SelectField>
      {ending === 'date' && (
        <TextField
          label={t.me.expiryDate}
          hint={t.me.expiryDateHint}
          type="datetime-local"
          required
          value={date}
          onChange={(event) => setDate(event.target.value)}
          error={problem('expires_at', t.me.expiryDate)}
        />
      )}
      <RestrictionFields draft={draft} onChange={setDraft} problems={problems} />
    </FormDialog>
  )
}
