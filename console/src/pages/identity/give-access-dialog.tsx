import type { RoleDto } from '@muster/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { createEntity } from '../../api/entities.ts'
import { grantRole } from '../../api/grants.ts'
import { choicesQuery } from '../../api/queries/entities.ts'
import { projectRolesQuery } from '../../api/queries/relations.ts'
import { isShownByFields, problemsOf } from '../../form/field-problems.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { roleText } from '../../session/role-text.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { usePermissions } from '../../session/use-permission.ts'
import { ChoiceField, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { EntityPicker } from './entity-picker.tsx'
import { PasswordLinkDialog, type PasswordLink } from './password-link-dialog.tsx'
import { pick } from './pick.ts'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly project: { readonly id: string; readonly name: string; readonly domain_id: string }
  readonly onClose: () => void
}

const holderKinds = ['user', 'group', 'new'] as const
type HolderKind = (typeof holderKinds)[number]
const nobody = { name: '', displayname: '', email: '' }

/** Gives a person, a group or a new person a role in a project. A new person gets a link to set a password. */
export function GiveAccessDialog({ project, onClose }: Props) {
  const messages = useAllMessages()
  const t = messages.identity
  const permission = usePermissions()
  const [kind, setKind] = useState<HolderKind>('user')
  const [text, setText] = useState('')
  const [person, setPerson] = useState(nobody)
  const [roleId, setRoleId] = useState('')
  const [isTried, setTried] = useState(false)
  const roles = useProjectRoles()
  const holders = useChoices(kind === 'group' ? 'groups' : 'users')
  const picked = pick(text, holders)
  const give = useGiveAccess(project, onClose)
  const newReason = permission('createUser').reason ?? permission('createPasswordLink').reason
  const problems = problemsOf(give.mutation.error, 'user')
  const role = roles.find(({ id }) => id === roleId)

  if (give.link) return <PasswordLinkDialog link={give.link} onClose={onClose} />

  function submit(): void {
    setTried(true)
    if (!role || (kind !== 'new' && picked === undefined)) return
    give.mutation.mutate({ kind, id: picked ?? '', name: text, person, role })
  }

  const field = (name: keyof typeof nobody, required = false) => {
    const problem = problems[name]
    return (
      <TextField
        label={name === 'name' ? t.userName : t.fields[name]}
        required={required}
        value={person[name]}
        error={problem === undefined ? undefined : t.problem(t.fields[name], problem)}
        onChange={(event) => setPerson({ ...person, [name]: event.target.value })}
      />
    )
  }

  return (
    <FormDialog
      title={t.giveAccessTitle(project.name)}
      submit={t.giveAccess}
      onSubmit={submit}
      onClose={onClose}
      busy={give.mutation.isPending}
      error={give.mutation.error}
      isShownByFields={isShownByFields(give.mutation.error, 'user', Object.keys(nobody))}
    >
      <ChoiceField
        label={t.who}
        name="holder"
        value={kind}
        choices={holderKinds.map((each) => ({
          value: each,
          label: t.holders[each],
          disabledReason: each === 'new' ? newReason : undefined,
        }))}
        onChange={(chosen) => {
          setKind(chosen as HolderKind)
          setText('')
          setTried(false)
        }}
      />
      {kind === 'new' ? (
        <>
          {field('name', true)}
          {field('displayname')}
          {field('email')}
          <p>{t.newPersonText}</p>
        </>
      ) : (
        <EntityPicker
          kind={kind === 'group' ? 'groups' : 'users'}
          label={t.holders[kind]}
          required
          text={text}
          onText={setText}
          error={isTried && picked === undefined ? t.notPicked : undefined}
        />
      )}
      <ChoiceField
        label={t.role}
        name="role"
        value={roleId}
        choices={roles.map((each) => {
          const { label, hint } = roleText(messages, each)
          return {
            value: each.id,
            label,
            hint: label === each.name ? hint : `${hint} ${each.name}`,
          }
        })}
        error={isTried && !role ? t.chooseRole : undefined}
        onChange={setRoleId}
      />
    </FormDialog>
  )
}

/** The roles that allow something in a project. */
function useProjectRoles(): readonly RoleDto[] {
  const permission = usePermissions()
  const { data: roles = [] } = useQuery({
    ...choicesQuery('roles'),
    enabled: permission('listRoles').allowed,
  })
  const { data: ids } = useQuery({
    ...projectRolesQuery,
    enabled: permission('listPolicyBindings').allowed,
  })
  const known = Object.keys(useAllMessages().session.roleTexts)
  // Built-in ones first, from those who may do least.
  const rank = ({ name }: RoleDto) => (known.includes(name) ? known.indexOf(name) : known.length)
  return roles.filter(({ id }) => ids?.has(id) ?? true).toSorted((a, b) => rank(a) - rank(b))
}

interface Wanted {
  readonly kind: HolderKind
  /** Of a person or a group that exists. */
  readonly id: string
  readonly name: string
  readonly person: typeof nobody
  readonly role: RoleDto
}

function useGiveAccess({ id, domain_id }: Props['project'], onClose: () => void) {
  const messages = useAllMessages()
  const t = messages.identity
  const queryClient = useQueryClient()
  const [link, setLink] = useState<PasswordLink>()
  /** Kept, so that a second attempt after an error does not create the same person again. */
  const created = useRef<{ readonly id: string; readonly name: string }>(undefined)

  async function createPerson(person: typeof nobody) {
    if (created.current?.name === person.name) return created.current
    const given = Object.entries(person).filter(([, value]) => value.trim() !== '')
    const user = await createEntity('users', { ...Object.fromEntries(given), domain_id })
    const made = { id: user.id, name: person.name }
    created.current = made
    await queryClient.invalidateQueries({ queryKey: ['users'] })
    return made
  }

  const mutation = useMutation({
    // The result has a secret: do not cache it.
    gcTime: 0,
    async mutationFn({ kind, id: holderId, person, role }: Wanted) {
      const isNew = kind === 'new'
      const holder = isNew ? await createPerson(person) : { id: holderId }
      await grantRole({
        roleId: role.id,
        principal: { kind: kind === 'group' ? 'group' : 'user', id: holder.id },
        scope: { kind: 'project', id },
      })
      if (!isNew) return undefined
      const body = await api.createPasswordLink({ parameters: { id: holder.id } })
      return { ...body.password_link, name: person.name }
    },
    async onSuccess(made, { name, person, role, kind }) {
      await queryClient.invalidateQueries({ queryKey: ['role_assignments'] })
      const { label } = roleText(messages, role)
      showToast(t.granted(label, kind === 'new' ? person.name : name))
      if (made) setLink(made)
      else onClose()
    },
  })
  return { mutation, link }
}
