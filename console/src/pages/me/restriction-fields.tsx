import type { RestrictableAction } from '@muster/contract'
import type { Problems } from '../../form/field-problems.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx'
import { keyExtents, type KeyExtent, type RestrictionDraft } from './key-restriction.ts'

interface Props {
  readonly draft: RestrictionDraft
  readonly onChange: (draft: RestrictionDraft) => void
  /** By the field of the restriction. */
  readonly problems: Problems
}

/** What a new key may do at most. */
export function RestrictionFields({ draft, onChange, problems }: Props) {
  const t = useAllMessages()
  const problem = (field: string, label: string) => {
    const found = Object.entries(problems).find(([path]) => path.startsWith(`restriction.${field}`))
    return found && t.me.problem(label, found[1])
  }
  const toggle = (action: RestrictableAction, isListed: boolean) =>
    onChange({
      ...draft,
      actions: isListed
        ? [...draft.actions, action]
        : draft.actions.filter((each) => each !== action),
    })
  return (
    <>
      <ChoiceField
        label={t.keyRestriction.extent}
        name="extent"
        value={draft.extent}
        choices={keyExtents.map((value) => ({ value, label: t.keyRestriction.extents[value] }))}
        error={problem('actions', t.keyRestriction.extent)}
        onChange={(extent) => onChange({ ...draft, extent: extent as KeyExtent })}
      />
      {draft.extent === 'actions' &&
        (Object.keys(t.keyRestriction.keyActions) as RestrictableAction[]).map((action) => (
          <CheckField
            key={action}
            label={t.keyRestriction.keyActions[action]}
            checked={draft.actions.includes(action)}
            onChange={(event) => toggle(action, event.target.checked)}
          />
        ))}
      <CheckField
        label={t.keyRestriction.oneProject}
        checked={draft.isOneProject}
        onChange={(event) => onChange({ ...draft, isOneProject: event.target.checked })}
      />
      <TextField
        label={t.keyRestriction.networks}
        hint={t.keyRestriction.networksHint}
        value={draft.networks}
        onChange={(event) => onChange({ ...draft, networks: event.target.value })}
        error={problem('networks', t.keyRestriction.networks)}
      />
    </>
  )
}
