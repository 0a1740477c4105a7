import type { ScopeParameter } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { tagKeysQuery } from '../../api/queries/tag-keys.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import {
  groupByTag,
  groupedKey,
  groupedTag,
  groupFields,
  isTagKey,
} from '../../servers/grouping.ts'
import type { FilterName } from '../../filter/keys.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'

interface Props {
  readonly groupBy: string | undefined
  readonly scope: ScopeParameter
  readonly onChange: (groupBy: string | undefined) => void
}

/** Chooses what the servers are grouped by. */
export function GroupMenu({ groupBy, scope, onChange }: Props) {
  const { servers: t } = useMessages()
  const [isChoosing, setChoosing] = useState(false)
  const tag = groupBy === undefined ? undefined : groupedTag(groupBy)
  const titleOf = (field: string) => t.keys[groupedKey(field) as FilterName]
  return (
    <>
      <Menu
        label={t.groupBy}
        trigger={(properties) => (
          <Button icon="layers" {...properties}>
            {groupBy === undefined ? t.groupBy : t.groupedBy(tag ?? titleOf(groupBy))}
          </Button>
        )}
      >
        <MenuItem checked={groupBy === undefined} onSelect={() => onChange(undefined)}>
          {t.noGroups}
        </MenuItem>
        {groupFields.map((field) => (
          <MenuItem key={field} checked={field === groupBy} onSelect={() => onChange(field)}>
            {titleOf(field)}
          </MenuItem>
        ))}
        <MenuItem checked={tag !== undefined} hint={tag} onSelect={() => setChoosing(true)}>
          {t.groupByTag}
        </MenuItem>
      </Menu>
      {isChoosing && (
        <TagDialog
          tag={tag}
          scope={scope}
          onChoose={(key) => {
            setChoosing(false)
            onChange(groupByTag(key))
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  )
}

interface TagDialogProps {
  readonly tag: string | undefined
  readonly scope: ScopeParameter
  readonly onChoose: (key: string) => void
  readonly onClose: () => void
}

/** Chooses a tag by its key. The keys of the servers are suggested. */
function TagDialog({ tag = '', scope, onChoose, onClose }: TagDialogProps) {
  const { servers: t } = useMessages()
  const [key, setKey] = useState(tag)
  const { data: keys = [] } = useQuery(tagKeysQuery(scope))
  const list = useId()
  const chosen = key.trim()
  return (
    <FormDialog
      title={t.groupByTagTitle}
      submit={t.group}
      busy={false}
      error={null}
      disabledReason={isTagKey(chosen) ? undefined : t.notATagKey}
      onSubmit={() => onChoose(chosen)}
      onClose={onClose}
    >
      <TextField
        label={t.tagKey}
        required
        autoFocus
        list={list}
        maxLength={256}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <datalist id={list}>
        {keys.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  )
}
