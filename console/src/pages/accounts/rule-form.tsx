import { ProjectField } from '../../form/project-field.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import styles from './mapping-editor.module.css'
import { conditions, type DraftRule } from './mapping-rules.ts'
import { useProjects } from './use-projects.ts'

interface Props {
  readonly rule: DraftRule
  readonly onChange: (rule: DraftRule) => void
  readonly onClose: () => void
}

/** The form of a mapping rule. */
export function RuleForm({ rule, onChange, onClose }: Props) {
  const t = useMessages()
  const { choices } = useProjects()
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      {conditions.map((name) => (
        <TextField
          key={name}
          label={t.accounts.conditions[name]}
          name={name}
          placeholder={t.accounts.conditionHints[name]}
          maxLength={255}
          spellCheck={false}
          value={rule[name]}
          onChange={(event) => onChange({ ...rule, [name]: event.target.value })}
        />
      ))}
      <ProjectField
        choices={choices}
        label={t.accounts.assignTo}
        name="project_id"
        value={rule.projectId}
        onChange={(projectId) => onChange({ ...rule, projectId })}
      />
      <div className={styles.done}>
        <Button type="submit">{t.accounts.doneRule}</Button>
        <span className={styles.hint}>{t.accounts.globHint}</span>
      </div>
    </form>
  )
}
