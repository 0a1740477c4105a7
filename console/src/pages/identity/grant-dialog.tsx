import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { grantRole, type Grant } from '../../api/grants.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { SelectField } from '../../ui/field.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { pick } from './pick.ts'
import type { Subject } from './subject.ts'
import { EntityPicker } from './entity-picker.tsx'
import { useChoices } from './use-choices.ts'

interface Props {
  readonly of: Subject
  readonly onClose: () => void
}

const holderKinds = { user: 'users', group: 'groups' } as const
const placeKinds = { project: 'projects', domain: 'domains' } as const
type HolderKind = keyof typeof holderKinds
type PlaceKind = keyof typeof placeKinds | 'system'

/** Gives a role. What the page is about is fixed; the rest is chosen. */
export function GrantDialog({ of, onClose }: Props) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const isHolder = of.kind === 'user' || of.kind === 'group'
  const isPlace = of.kind === 'project' || of.kind === 'domain'
  const [holderKind, setHolderKind] = useState<HolderKind>(of.kind === 'group' ? 'group' : 'user')
  const [placeKind, setPlaceKind] = useState<PlaceKind>(of.kind === 'domain' ? 'domain' : 'project')
  const [holder, setHolder] = useState('')
  const [place, setPlace] = useState('')
  const [role, setRole] = useState('')
  const [isTried, setTried] = useState(false)
  const holders = useChoices(holderKinds[holderKind])
  const places = useChoices(placeKind === 'system' ? 'domains' : placeKinds[placeKind])
  const roles = useChoices('roles')

  const holderId = isHolder ? of.id : pick(holder, holders)
  const placeId = isPlace ? of.id : pick(place, places)
  const roleId = of.kind === 'role' ? of.id : pick(role, roles)
  const isPlaced = placeKind === 'system' || placeId !== undefined
  const grant = useMutation({
    mutationFn: (wanted: Grant) => grantRole(wanted),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['role_assignments'] })
      const [what, who] = [of.kind === 'role' ? of.name : role, isHolder ? of.name : holder]
      showToast(t.identity.granted(what, who))
      onClose()
    },
  })
  const missing = (id: string | undefined) =>
    isTried && id === undefined ? t.identity.notPicked : undefined

  function submit(): void {
    setTried(true)
    if (holderId === undefined || roleId === undefined || !isPlaced) return
    grant.mutate({
      roleId,
      holder: { kind: holderKind, id: holderId },
      place: placeKind === 'system' ? { kind: 'system' } : { kind: placeKind, id: placeId ?? '' },
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
      {!isHolder && (
        <>
          <SelectField
            label={t.identity.kindOfHolder}
            value={holderKind}
            onChange={(event) => setHolderKind(event.target.value as HolderKind)}
          >
            <option value="user">{t.identity.user}</option>
            <option value="group">{t.identity.group}</option>
          </SelectField>
          <EntityPicker
            kind={holderKinds[holderKind]}
            label={t.identity.who}
            required
            text={holder}
            onText={setHolder}
            error={missing(holderId)}
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
      {!isPlace && (
        <>
          <SelectField
            label={t.identity.where}
            value={placeKind}
            onChange={(event) => setPlaceKind(event.target.value as PlaceKind)}
          >
            <option value="project">{t.identity.levels.project}</option>
            <option value="domain">{t.identity.levels.domain}</option>
            <option value="system">{t.identity.levels.system}</option>
          </SelectField>
          {placeKind !== 'system' && (
            <EntityPicker
              kind={placeKinds[placeKind]}
              label={t.identity.checkPlaceId[placeKind]}
              required
              text={place}
              onText={setPlace}
              error={missing(placeId)}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
