import type { CloudAccount } from '@muster/contract'
import { useEffect, useRef, useState } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import styles from './mapping-editor.module.css'
import { MappingPreviewPanel } from './mapping-preview-panel.tsx'
import { addRule, moveRule, removeRule, replaceRule } from './mapping-rules.ts'
import { RuleItem } from './rule-item.tsx'
import { useMapping } from './use-mapping.ts'
import { useProjects } from './use-projects.ts'

/** Edits the mapping rules of an account, with a preview. */
export function MappingEditor({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number } = useFormat()
  const { nameOf } = useProjects()
  const canUpdate = usePermission('updateCloudAccount')
  const canPreview = usePermission('previewCloudAccountMapping')
  const mapping = useMapping(account)
  const { drafts, preview, save } = mapping
  const [open, setOpen] = useState<number>()
  const [announcement, setAnnouncement] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const focus = useRef<string>(undefined)

  // Restores the focus after a rule is moved or removed.
  useEffect(() => {
    if (focus.current === undefined) return
    list.current?.querySelector<HTMLElement>(focus.current)?.focus()
    focus.current = undefined
  })

  function move(key: number, by: -1 | 1): void {
    const from = drafts.findIndex((draft) => draft.key === key)
    const next = moveRule(drafts, key, by)
    if (next === drafts) return
    focus.current = `[data-rule="${key}"] [data-action="${by === 1 ? 'down' : 'up'}"]`
    mapping.edit(next)
    setAnnouncement(t.accounts.moved(number(from + 1), number(from + by + 1), number(next.length)))
  }

  function remove(key: number): void {
    const at = drafts.findIndex((draft) => draft.key === key)
    const neighbour = drafts[at + 1] ?? drafts[at - 1]
    focus.current = neighbour && `[data-rule="${neighbour.key}"] [data-action="remove"]`
    mapping.edit(removeRule(drafts, key))
    setAnnouncement(t.accounts.removed(t.accounts.rule(number(at + 1))))
  }

  function add(): void {
    const next = addRule(drafts)
    const key = next.at(-1)?.key
    focus.current = `[data-rule="${key}"] input`
    mapping.edit(next)
    setOpen(key)
  }

  function close(key: number): void {
    focus.current = `[data-rule="${key}"] [data-action="edit"]`
    setOpen(undefined)
  }

  const saveReason = canUpdate.reason ?? (mapping.isDirty ? undefined : t.accounts.nothingChanged)
  return (
    <div className={styles.editor}>
      <p className={styles.lead}>{t.accounts.rulesLead}</p>
      <p className="visuallyHidden" role="status">
        {announcement}
      </p>
      {drafts.length === 0 ? (
        <p className={styles.none}>{t.accounts.noRules}</p>
      ) : (
        <ol ref={list} className={styles.rules} aria-label={t.accounts.rulesList}>
          {drafts.map((rule, index) => (
            <RuleItem
              key={rule.key}
              rule={rule}
              index={index}
              of={drafts.length}
              project={nameOf(rule.projectId)}
              problem={mapping.problems.get(rule.key)}
              isOpen={rule.key === open}
              disabledReason={canUpdate.reason}
              onOpen={() => {
                focus.current = `[data-rule="${rule.key}"] input`
                setOpen(rule.key)
              }}
              onClose={() => close(rule.key)}
              onChange={(changed) => mapping.edit(replaceRule(drafts, changed))}
              onMove={(by) => move(rule.key, by)}
              onRemove={() => remove(rule.key)}
            />
          ))}
        </ol>
      )}
      <p className={styles.else}>{t.accounts.rulesElse(nameOf(account.project_id))}</p>
      <div className={styles.buttons}>
        <Button icon="plus" disabledReason={canUpdate.reason} onClick={add}>
          {t.accounts.addRule}
        </Button>
        <span className={styles.hint}>{t.accounts.moveHint}</span>
        <span className={styles.apart} />
        {mapping.isDirty && (
          <Button look="quiet" onClick={mapping.undo}>
            {t.accounts.undoRules}
          </Button>
        )}
        <Button busy={preview.isPending} disabledReason={canPreview.reason} onClick={mapping.look}>
          {t.accounts.preview}
        </Button>
        <Button
          look="primary"
          busy={save.isPending}
          disabledReason={saveReason ?? (mapping.isPreviewed ? undefined : t.accounts.previewRead)}
          onClick={mapping.saveNow}
        >
          {t.accounts.saveRules}
        </Button>
      </div>
      {preview.isError && <ErrorNotice error={preview.error} />}
      {save.isError && <ErrorNotice error={save.error} />}
      {preview.data && (
        <MappingPreviewPanel preview={preview.data.preview} isOutdated={!mapping.isPreviewed} />
      )}
      <UnsavedChangesDialog isDirty={mapping.isDirty} />
    </div>
  )
}
